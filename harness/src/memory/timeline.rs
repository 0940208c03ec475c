//! Pictures of what is in memory over time, as SVG: a panel for each way, all with the same height for a byte and the same
//! width for a second.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::campaign::{Results, Row};
use super::session::{APPLICATION, COPIES};

/// What can be in memory, from the bottom up, with its colours for light and for dark surroundings.
const SERIES: [(&str, &str, &str, &str); 8] = [
    ("constants", "constants", "#2a6fb0", "#5aa2e0"),
    ("intermediates", "intermediates", "#3f9142", "#6cc070"),
    ("tensors", "tensors", "#8a6d00", "#d0b040"),
    ("parameters", "parameters", "#777777", "#a0a0a0"),
    ("staging", "staging", "#d9730d", "#f2a057"),
    ("offloaded", "offloaded to the host", "#7a4fb5", "#b594e6"),
    (COPIES, COPIES, "#c0392b", "#ef7d70"),
    (APPLICATION, APPLICATION, "#e39ab0", "#8f4a60"),
];

const WIDTH: usize = 900;
const LEFT: usize = 90;
const PLOT: usize = WIDTH - LEFT - 30;
const PANEL: usize = 120;
const HEADING: usize = 96;
/// A panel with its name above and its times below.
const PITCH: usize = PANEL + 62;
const FOOT: usize = 28;
/// An axis has at most so many steps.
const STEPS: f64 = 6.0;

/// The bytes of each series at a time.
type State = [f64; SERIES.len()];

/// The picture of a workload, below a line on what was measured where; `None` if nothing happened in memory.
pub(crate) fn picture(results: &Results, about: &str) -> Option<String> {
    let mut panels: Vec<Panel<'_>> = results.rows.iter().filter_map(Panel::of).collect();
    let most = panels.iter().map(Panel::most).fold(0.0, f64::max);
    // Ways that keep nothing in memory have nothing to show.
    panels.retain(|panel| panel.most() * PANEL as f64 > most);
    if most == 0.0 {
        return None;
    }
    let scale = Scale { most, length: panels.iter().map(Panel::length).fold(0.0, f64::max) };
    let foot = HEADING + panels.len() * PITCH;
    let height = foot + FOOT;
    let mut svg = String::new();
    write_to(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{}: memory over time</title>\n{}\
         <rect class=\"ground\" x=\".5\" y=\".5\" width=\"{}\" height=\"{}\" rx=\"6\"/>\n",
            results.workload.name,
            style(),
            WIDTH - 1,
            height - 1
        ),
    );
    write_text(&mut svg, "ink title", (20, 28), &format!("{}: memory over time", results.workload.name));
    write_text(&mut svg, "soft", (20, 48), about);
    legend(&mut svg, &panels, most);
    for (index, panel) in panels.iter().enumerate() {
        panel.draw(&mut svg, HEADING + index * PITCH, &scale);
    }
    let axes = "Time since the work began, and bytes in memory: on the same scales in every panel.";
    write_text(&mut svg, "soft", (LEFT, foot + 8), axes);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Writes a line of text, which begins there; with a class `end` it ends there, with `middle` its middle is.
fn write_text(svg: &mut String, class: &str, (x, y): (usize, usize), text: &str) {
    write_to(svg, format_args!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>\n", escaped(text)));
}

const GIBI: f64 = (1u64 << 30) as f64;

/// What all panels share: the most bytes, and the longest time in nanoseconds.
struct Scale {
    most: f64,
    length: f64,
}

impl Scale {
    fn x(&self, nanoseconds: f64) -> f64 {
        LEFT as f64 + nanoseconds / self.length * PLOT as f64
    }

    /// Times at even steps, each in nanoseconds and in words, all in one unit.
    fn times(&self) -> Vec<(f64, String)> {
        let (unit, name) = unit_of(self.length, [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")]);
        let longest = self.length / unit;
        let power = 10f64.powf((longest / STEPS).log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| longest / step <= STEPS).unwrap_or(longest);
        even(longest, step).map(|time| (time * unit, format!("{} {name}", short(time)))).collect()
    }

    /// Bytes at even steps, which are powers of two, likewise.
    fn bytes(&self) -> Vec<(f64, String)> {
        let (unit, name) = unit_of(self.most, [(GIBI, "GiB"), (GIBI / 1024.0, "MiB"), (1024.0, "KiB"), (1.0, "B")]);
        let most = self.most / unit;
        // Fewer than of times, since a panel is low.
        let step = 2f64.powf((most / (STEPS - 2.0)).log2().ceil());
        even(most, step).map(|bytes| (bytes * unit, format!("{} {name}", short(bytes)))).collect()
    }
}

/// The largest unit that is no larger than the figure, or the last.
fn unit_of(figure: f64, units: [(f64, &'static str); 4]) -> (f64, &'static str) {
    units.into_iter().find(|(unit, _)| figure >= *unit).unwrap_or(units[3])
}

/// The multiples of a step, from 0.
fn even(most: f64, step: f64) -> impl Iterator<Item = f64> {
    // What is rounded down by less than its own error is not left out.
    let count = (most / step * (1.0 + 1e-9)).floor() as usize;
    (0..=count).map(move |number| number as f64 * step)
}

/// A number of few digits as it is written by hand.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn write_to(svg: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _never = svg.write_fmt(text);
}

fn style() -> String {
    let rules = |light: bool| -> String {
        let of = |(index, (_, _, on_light, on_dark)): (usize, &(&str, &str, &str, &str))| {
            format!(".s{index}{{fill:{}}}", if light { on_light } else { on_dark })
        };
        SERIES.iter().enumerate().map(of).collect()
    };
    format!(
        "<style>.title{{font-size:16px}}.title,.name{{font-weight:600}}.end{{text-anchor:end}}.middle{{text-anchor:middle}}\
         .tick{{font-size:12px}}.grid{{stroke:#e6eaee;fill:none}}.ground{{fill:#fff;stroke:#d0d7de}}.ink{{fill:#1f2328}}\
         .soft{{fill:#59636e}}.line{{stroke:#8c959f;fill:none}}.limit{{stroke:#1f2328;stroke-dasharray:6 4;fill:none}}{}\n\
         @media(prefers-color-scheme:dark){{.grid{{stroke:#21262d}}.ground{{fill:#0d1117;stroke:#3d444d}}.ink{{fill:#f0f6fc}}\
         .soft{{fill:#9198a1}}.line{{stroke:#656c76}}.limit{{stroke:#f0f6fc}}{}}}</style>\n",
        rules(true),
        rules(false)
    )
}

/// Names what can be seen.
fn legend(svg: &mut String, panels: &[Panel<'_>], most: f64) {
    let mut x = 20;
    for (index, (_, name, ..)) in SERIES.iter().enumerate() {
        if panels.iter().all(|panel| panel.states.iter().all(|(_, state)| state[index] * PANEL as f64 <= most / 2.0)) {
            continue;
        }
        write_to(
            svg,
            format_args!(
                "<rect class=\"s{index}\" x=\"{x}\" y=\"62\" width=\"12\" height=\"12\" rx=\"2\"/>\
             <text class=\"ink\" x=\"{}\" y=\"73\">{}</text>\n",
                x + 17,
                escaped(name)
            ),
        );
        x += 34 + name.len() * 7;
    }
    if panels.iter().any(|panel| panel.row.last.budget.is_some()) {
        write_to(
            svg,
            format_args!(
                "<path class=\"limit\" d=\"M{x} 68h20\"/><text class=\"ink\" x=\"{}\" y=\"73\">memory budget, which does not count staging</text>\n",
                x + 26
            ),
        );
    }
}

/// What was in memory on one way.
struct Panel<'a> {
    row: &'a Row,
    /// When something changed, in nanoseconds from the first change, and what was there from then on.
    states: Vec<(f64, State)>,
}

impl<'a> Panel<'a> {
    fn of(row: &'a Row) -> Option<Self> {
        let series: BTreeMap<&str, usize> = SERIES.iter().enumerate().map(|(index, (key, ..))| (*key, index)).collect();
        let begun = row.last.events.first()?.0;
        let mut now = [0.0; SERIES.len()];
        let mut states = Vec::new();
        for (at, what, bytes) in &row.last.events {
            if let Some(index) = series.get(what.as_str()) {
                now[*index] += *bytes as f64;
                states.push(((at - begun) as f64, now));
            }
        }
        Some(Self { row, states })
    }

    fn most(&self) -> f64 {
        self.states.iter().map(|(_, state)| state.iter().sum()).fold(0.0, f64::max)
    }

    fn length(&self) -> f64 {
        self.states.last().map_or(1.0, |(at, _)| at.max(1.0))
    }

    /// How many pixels its time has.
    fn width(&self, scale: &Scale) -> usize {
        ((self.length() / scale.length * PLOT as f64).ceil() as usize).clamp(1, PLOT)
    }

    /// What was there in each pixel's time: the state with the most of those in it, so that no peak is lost.
    fn pixels(&self, width: usize) -> Vec<State> {
        let mut changes = self.states.iter().peekable();
        let mut now = [0.0; SERIES.len()];
        let mut pixels = Vec::with_capacity(width);
        for pixel in 1..=width {
            let end = self.length() * pixel as f64 / width as f64;
            let mut most = now;
            while let Some((_, state)) = changes.next_if(|(at, _)| *at < end || pixel == width) {
                now = *state;
                if sum(state) >= sum(&most) {
                    most = *state;
                }
            }
            pixels.push(most);
        }
        pixels
    }

    fn draw(&self, svg: &mut String, top: usize, scale: &Scale) {
        let (ceiling, bottom) = (top + 20, top + 20 + PANEL);
        let y = |bytes: f64| bottom as f64 - bytes / scale.most * PANEL as f64;
        write_to(
            svg,
            format_args!(
                "<text class=\"ink name\" x=\"{LEFT}\" y=\"{}\">{}<tspan class=\"soft\" font-weight=\"400\" \
             dx=\"10\">{}</tspan></text>\n",
                top + 10,
                escaped(self.row.way.name),
                escaped(self.row.way.about)
            ),
        );
        for (time, text) in scale.times() {
            let x = scale.x(time);
            write_to(svg, format_args!("<path class=\"grid\" d=\"M{x:.1} {ceiling}V{}\"/>\n", bottom + 4));
            write_text(svg, "soft tick middle", (x.round() as usize, bottom + 18), &text);
        }
        for (bytes, text) in scale.bytes() {
            write_to(svg, format_args!("<path class=\"grid\" d=\"M{} {:.1}h{}\"/>\n", LEFT - 4, y(bytes), PLOT + 4));
            write_text(svg, "soft tick end", (LEFT - 8, y(bytes).round() as usize + 4), &text);
        }
        let pixels = self.pixels(self.width(scale));
        for index in 0..SERIES.len() {
            area(svg, index, &pixels, &y);
        }
        if let Some(budget) = self.row.last.budget.filter(|budget| *budget as f64 <= scale.most) {
            write_to(svg, format_args!("<path class=\"limit\" d=\"M{LEFT} {:.1}h{PLOT}\"/>\n", y(budget as f64)));
        }
        write_to(svg, format_args!("<path class=\"line\" d=\"M{LEFT} {ceiling}V{bottom}H{}\"/>\n", LEFT + PLOT));
    }
}

/// The area of a series, which stands on those below it.
fn area(svg: &mut String, index: usize, pixels: &[State], y: &impl Fn(f64) -> f64) {
    if pixels.iter().all(|state| state[index] <= 0.0) {
        return;
    }
    let upper = |state: &State| y(sum_of(&state[..=index]));
    let lower = |state: &State| y(sum_of(&state[..index]));
    let mut path = format!("M{LEFT} {:.1}", upper(&pixels[0]));
    for (right, height) in runs(pixels.iter(), upper) {
        write_to(&mut path, format_args!("V{height:.1}H{}", LEFT + right));
    }
    for (left, height) in runs(pixels.iter().rev(), lower) {
        write_to(&mut path, format_args!("V{height:.1}H{}", LEFT + pixels.len() - left));
    }
    write_to(svg, format_args!("<path class=\"s{index}\" d=\"{path}Z\"/>\n"));
}

/// For how many pixels, counted from the first, a line is how high.
fn runs<'a>(pixels: impl Iterator<Item = &'a State>, height: impl Fn(&State) -> f64) -> Vec<(usize, f64)> {
    let mut runs: Vec<(usize, f64)> = Vec::new();
    for (x, state) in pixels.enumerate() {
        let height = height(state);
        match runs.last_mut() {
            Some(last) if (last.1 - height).abs() < 0.05 => last.0 = x + 1,
            _ => runs.push((x + 1, height)),
        }
    }
    runs
}

fn sum(state: &State) -> f64 {
    sum_of(state)
}

fn sum_of(series: &[f64]) -> f64 {
    series.iter().sum()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::super::Measured;
    use super::super::campaign::Results;
    use super::super::load::MATRICES;
    use super::*;

    fn row(events: &[(u64, &str, i64)]) -> Row {
        let events = events.iter().map(|(at, what, bytes)| (*at, (*what).to_owned(), *bytes)).collect();
        let last = Measured { events, budget: Some(1 << 20), ..Measured::default() };
        Row { way: &MATRICES.ways[0], figures: BTreeMap::new(), last, failure: None }
    }

    #[test]
    fn a_peak_is_shown_however_short_it_is() {
        let row =
            row(&[(0, "constants", 1000), (500, "staging", 5000), (501, "staging", -5000), (1_000_000, "tensors", 1)]);
        let panel = Panel::of(&row).unwrap();
        assert_eq!(panel.most(), 6000.0);
        assert!(panel.pixels(PLOT).iter().any(|state| sum(state) == 6000.0));
        assert_eq!(sum(panel.pixels(PLOT).last().unwrap()), 1001.0);
        assert_eq!(sum(&panel.pixels(PLOT)[400]), 1000.0);
    }

    #[test]
    fn a_line_that_stays_as_high_is_one_run() {
        let [low, high] = [[1.0; SERIES.len()], [2.0; SERIES.len()]];
        assert_eq!(runs([low, low, high].iter(), sum), [(2, 8.0), (3, 16.0)]);
    }

    #[test]
    fn axes_have_few_steps_of_one_unit() {
        let texts = |steps: Vec<(f64, String)>| steps.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        let scale = |most, length| Scale { most, length };
        assert_eq!(texts(scale(1.0, 1.07e9).times()), ["0 s", "0.2 s", "0.4 s", "0.6 s", "0.8 s", "1 s"]);
        assert_eq!(texts(scale(1.0, 6.93e9).times()), ["0 s", "2 s", "4 s", "6 s"]);
        assert_eq!(texts(scale(1.0, 45e6).times()), ["0 ms", "10 ms", "20 ms", "30 ms", "40 ms"]);
        assert_eq!(texts(scale(12.0 * GIBI, 1.0).bytes()), ["0 GiB", "4 GiB", "8 GiB", "12 GiB"]);
        assert_eq!(texts(scale(201e6, 1.0).bytes()), ["0 MiB", "64 MiB", "128 MiB"]);
        assert_eq!(texts(scale(1.5 * GIBI, 1.0).bytes()), ["0 GiB", "0.5 GiB", "1 GiB", "1.5 GiB"]);
    }

    #[test]
    fn a_picture_names_its_ways_and_is_well_formed() {
        let rows = vec![row(&[(0, "constants", 1 << 21), (9, COPIES, 1 << 20)])];
        let svg = picture(&Results { workload: &MATRICES, rows, contradiction: None }, "on a device").unwrap();
        for text in
            ["constant(descriptor, buffer)", "copies of constant()", "memory budget", "prefers-color-scheme:dark"]
        {
            assert!(svg.contains(text), "{text}");
        }
        let (opened, closed) = (svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(opened, closed);
        assert_eq!(picture(&Results { workload: &MATRICES, rows: vec![], contradiction: None }, ""), None);
    }
}
