//! Pictures of what is in memory over time, as SVG: a panel for each way, all with the same height for a byte.
//!
//! Each panel has a width of its own in time, which its axis names: how the ways compare in time is what the tables say.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::Unit;
use super::campaign::{Results, Row};
use super::session::{APPLICATION, COPIES};
use super::table::written;

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
const PLOT: usize = WIDTH - LEFT - 20;
const PANEL: usize = 130;
const HEADING: usize = 78;
const GAP: usize = 46;

/// The bytes of each series at a time.
type State = [f64; SERIES.len()];

/// The picture of a workload; `None` if nothing happened in memory.
pub(crate) fn picture(results: &Results) -> Option<String> {
    let mut panels: Vec<Panel<'_>> = results.rows.iter().filter_map(Panel::of).collect();
    let most = panels.iter().map(Panel::most).fold(0.0, f64::max);
    // Ways that keep nothing in memory have nothing to show.
    panels.retain(|panel| panel.most() * PANEL as f64 > most);
    if most == 0.0 {
        return None;
    }
    let height = HEADING + panels.len() * (PANEL + GAP);
    let mut svg = String::new();
    write_to(
        &mut svg,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" height=\"{height}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"13\">\n<title>{}: memory over time</title>\n{}",
            results.workload.name,
            style()
        ),
    );
    write_to(
        &mut svg,
        format_args!(
            "<rect class=\"ground\" width=\"{WIDTH}\" height=\"{height}\" rx=\"6\"/>\n\
         <text class=\"ink\" x=\"20\" y=\"26\" font-size=\"15\" font-weight=\"600\">{}</text>\n",
            escaped(&format!("{}: memory over time", results.workload.name))
        ),
    );
    legend(&mut svg, &panels, most);
    for (index, panel) in panels.iter().enumerate() {
        panel.draw(&mut svg, HEADING + index * (PANEL + GAP), most);
    }
    svg.push_str("</svg>\n");
    Some(svg)
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
        "<style>.ground{{fill:#fff;stroke:#d0d7de}}.ink{{fill:#1f2328}}.soft{{fill:#59636e}}.line{{stroke:#b8c0c8;fill:none}}\
         .limit{{stroke:#c0392b;stroke-dasharray:6 4;fill:none}}{}\n@media(prefers-color-scheme:dark){{.ground{{fill:#0d1117;\
         stroke:#3d444d}}.ink{{fill:#f0f6fc}}.soft{{fill:#9198a1}}.line{{stroke:#4b535d}}.limit{{stroke:#ef7d70}}{}}}</style>\n",
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
                "<rect class=\"s{index}\" x=\"{x}\" y=\"40\" width=\"12\" height=\"12\" rx=\"2\"/>\
             <text class=\"ink\" x=\"{}\" y=\"51\">{}</text>\n",
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
                "<path class=\"limit\" d=\"M{x} 46h20\"/><text class=\"ink\" x=\"{}\" y=\"51\">memory budget</text>\n",
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

    /// What was there in each pixel's time: the state with the most of those in it, so that no peak is lost.
    fn pixels(&self) -> Vec<State> {
        let mut changes = self.states.iter().peekable();
        let mut now = [0.0; SERIES.len()];
        let mut pixels = Vec::with_capacity(PLOT);
        for pixel in 1..=PLOT {
            let end = self.length() * pixel as f64 / PLOT as f64;
            let mut most = now;
            while let Some((_, state)) = changes.next_if(|(at, _)| *at < end || pixel == PLOT) {
                now = *state;
                if sum(state) >= sum(&most) {
                    most = *state;
                }
            }
            pixels.push(most);
        }
        pixels
    }

    fn draw(&self, svg: &mut String, top: usize, most: f64) {
        let bottom = top + 20 + PANEL;
        let y = |bytes: f64| bottom as f64 - bytes / most * PANEL as f64;
        write_to(
            svg,
            format_args!(
                "<text class=\"ink\" x=\"{LEFT}\" y=\"{}\" font-weight=\"600\">{}<tspan class=\"soft\" font-weight=\"400\" \
             dx=\"10\">{}</tspan></text>\n",
                top + 12,
                escaped(self.row.way.name),
                escaped(self.row.way.about)
            ),
        );
        let pixels = self.pixels();
        for index in 0..SERIES.len() {
            area(svg, index, &pixels, &y);
        }
        if let Some(budget) = self.row.last.budget {
            write_to(svg, format_args!("<path class=\"limit\" d=\"M{LEFT} {:.1}h{PLOT}\"/>\n", y(budget as f64)));
        }
        write_to(svg, format_args!("<path class=\"line\" d=\"M{LEFT} {}V{bottom}H{}\"/>\n", top + 20, LEFT + PLOT));
        for (bytes, at) in [(most, top + 30), (0.0, bottom)] {
            write_to(
                svg,
                format_args!(
                    "<text class=\"soft\" x=\"{}\" y=\"{at}\" text-anchor=\"end\">{}</text>\n",
                    LEFT - 8,
                    written(bytes, Unit::Bytes)
                ),
            );
        }
        write_to(
            svg,
            format_args!(
                "<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                LEFT + PLOT,
                bottom + 16,
                written(self.length() / 1e9, Unit::Seconds)
            ),
        );
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
        write_to(&mut path, format_args!("V{height:.1}H{}", LEFT + PLOT - left));
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
        assert!(panel.pixels().iter().any(|state| sum(state) == 6000.0));
        assert_eq!(sum(panel.pixels().last().unwrap()), 1001.0);
        assert_eq!(sum(&panel.pixels()[400]), 1000.0);
    }

    #[test]
    fn a_line_that_stays_as_high_is_one_run() {
        let [low, high] = [[1.0; SERIES.len()], [2.0; SERIES.len()]];
        assert_eq!(runs([low, low, high].iter(), sum), [(2, 8.0), (3, 16.0)]);
    }

    #[test]
    fn a_picture_names_its_ways_and_is_well_formed() {
        let rows = vec![row(&[(0, "constants", 1 << 21), (9, COPIES, 1 << 20)])];
        let svg = picture(&Results { workload: &MATRICES, rows, contradiction: None }).unwrap();
        for text in
            ["constant(descriptor, buffer)", "copies of constant()", "memory budget", "prefers-color-scheme:dark"]
        {
            assert!(svg.contains(text), "{text}");
        }
        let (opened, closed) = (svg.matches("<text").count(), svg.matches("</text>").count());
        assert_eq!(opened, closed);
        assert_eq!(picture(&Results { workload: &MATRICES, rows: vec![], contradiction: None }), None);
    }
}
