//! One page with every algorithm: its prose, its code, and what vectors and implementations make of each step.
//!
//! The page needs nothing but itself. The prose in it is that of the user's own file.

mod write;

use std::io::{self, Write};
use std::path::Path;

use crate::bikeshed::{Algorithm, inline};
use crate::check::Source;
use crate::code::{Code, Encoding};
use crate::coverage::Reasons;
use crate::render::plural;
use crate::results::Results;
use crate::snippet::Snippets;
use crate::trace::Trace;
use write::{escaped, slug};

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// What a page is made of.
pub(crate) struct Page<'a> {
    pub(crate) documents: &'a [Source],
    pub(crate) code: &'a Code,
    pub(crate) snippets: &'a Snippets<'a>,
    pub(crate) trace: Option<&'a Trace>,
    pub(crate) reasons: &'a Reasons,
    pub(crate) results: Option<&'a Results>,
}

/// How a step is coloured.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reached,
    NeverThrew,
    Unreached,
    Excused,
    Unknown,
}

impl State {
    fn class(self) -> &'static str {
        match self {
            Self::Reached => "reached",
            Self::NeverThrew => "never-threw",
            Self::Unreached => "unreached",
            Self::Excused => "excused",
            Self::Unknown => "unknown",
        }
    }

    /// A sign for those who do not see the colour.
    fn sign(self) -> &'static str {
        match self {
            Self::Reached => "●",
            Self::NeverThrew => "◐",
            Self::Unreached => "○",
            Self::Excused => "◌",
            Self::Unknown => "",
        }
    }
}

/// A step, as the page shows it.
struct Shown {
    path: String,
    line: usize,
    prose: Vec<String>,
    code: Vec<String>,
    place: Option<String>,
    state: State,
    /// What vectors do in it, in a sentence.
    reach: String,
    /// For each implementation, what it makes of those vectors.
    verdicts: Vec<(String, crate::results::Verdict)>,
}

impl Page<'_> {
    /// Writes the page.
    pub(crate) fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let title = "WebNN, step by step";
        writeln!(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">")?;
        writeln!(
            out,
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>"
        )?;
        writeln!(out, "<style>\n{STYLE}</style>\n</head>\n<body>")?;
        self.head(title, out)?;
        writeln!(out, "<div class=\"page\">")?;
        self.contents(out)?;
        writeln!(out, "<main>")?;
        for source in self.documents {
            for algorithm in &source.document.algorithms {
                self.algorithm(algorithm, &source.path, out)?;
            }
        }
        writeln!(out, "<p id=\"nothing\" hidden>No algorithm has that.</p>\n</main>\n</div>")?;
        writeln!(out, "<script>\n{SCRIPT}</script>\n</body>\n</html>")
    }

    fn head(&self, title: &str, out: &mut impl Write) -> io::Result<()> {
        let sources: Vec<String> = self.documents.iter().map(|source| source.path.display().to_string()).collect();
        writeln!(out, "<header>\n<h1>{title}</h1>\n<p class=\"sources\">{}</p>", escaped(&sources.join(", ")))?;
        writeln!(out, "<div class=\"tools\">")?;
        writeln!(
            out,
            "<input id=\"search\" type=\"search\" placeholder=\"Search algorithms and prose ( / )\" aria-label=\"Search\">"
        )?;
        writeln!(out, "<select id=\"only\" aria-label=\"Which steps\">")?;
        for (value, text) in [
            ("", "all steps"),
            ("unreached", "never reached"),
            ("never-threw", "never threw"),
            ("excused", "left out for a reason"),
            ("failing", "where a vector fails"),
        ] {
            writeln!(out, "<option value=\"{value}\">{text}</option>")?;
        }
        writeln!(out, "</select>\n<span id=\"count\" aria-live=\"polite\"></span>\n</div>")?;
        writeln!(out, "<p class=\"legend\">")?;
        for (state, text) in [
            (State::Reached, "reached by vectors"),
            (State::NeverThrew, "reached, and never threw"),
            (State::Unreached, "never reached"),
            (State::Excused, "left out for a reason"),
        ] {
            writeln!(out, "<span class=\"{}\"><b>{}</b> {text}</span>", state.class(), state.sign())?;
        }
        writeln!(out, "</p>\n</header>")
    }

    fn contents(&self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "<nav><details open id=\"contents\"><summary>Algorithms</summary>\n<ul>")?;
        for algorithm in self.documents.iter().flat_map(|source| &source.document.algorithms) {
            let name = algorithm.name();
            let short = algorithm.method().unwrap_or(&algorithm.term).replace(['{', '}'], "");
            writeln!(
                out,
                "<li><a href=\"#{}\" title=\"{}\">{}</a></li>",
                slug(&name),
                escaped(&name),
                escaped(&short)
            )?;
        }
        writeln!(out, "</ul></details></nav>")
    }

    fn algorithm(&self, algorithm: &Algorithm, file: &Path, out: &mut impl Write) -> io::Result<()> {
        let name = algorithm.name();
        let id = slug(&name);
        let encoding = self.code.algorithms.get(&name);
        let frame = encoding.and_then(|encoding| encoding.frames.first()).map(ToString::to_string);
        writeln!(out, "<section id=\"{id}\">\n<h2><a href=\"#{id}\">{}</a></h2>", escaped(&name))?;
        let frame = frame.unwrap_or_else(|| "nothing encodes it".to_owned());
        writeln!(
            out,
            "<p class=\"place\">{}:{} · {}</p>",
            escaped(&file.display().to_string()),
            algorithm.line,
            escaped(&frame)
        )?;
        let preamble: Vec<&str> =
            algorithm.preamble.iter().filter(|line| !line.is_remark).map(|line| line.text.as_str()).collect();
        writeln!(out, "<p class=\"preamble\">{}</p>", escaped(&inline::plain(&preamble.join(" "))))?;
        if !algorithm.steps.is_empty() {
            writeln!(out, "<ol>")?;
            for shown in self.steps(algorithm, &name, encoding) {
                step(&shown, &id, file, out)?;
            }
            writeln!(out, "</ol>")?;
        }
        writeln!(out, "</section>")
    }

    fn steps(&self, algorithm: &Algorithm, name: &str, encoding: Option<&Encoding>) -> Vec<Shown> {
        let shown = |step: &crate::bikeshed::Step| {
            let path = step.path.to_string();
            let named = encoding.and_then(|encoding| encoding.steps.iter().find(|named| named.name == path));
            let is_throwing = step.exceptions().next().is_some();
            let reaching = self.trace.map(|trace| trace.reaching(name, &path)).unwrap_or_default();
            let throwing = self.trace.map(|trace| trace.throwing(name, &path)).unwrap_or_default();
            let reason = self.reasons.of(name, &path);
            let is_covered = !reaching.is_empty() && (!is_throwing || !throwing.is_empty());
            let state = match (self.trace, &reason) {
                (None, _) => State::Unknown,
                (Some(_), _) if is_covered => State::Reached,
                (Some(_), Some(_)) => State::Excused,
                (Some(_), None) if reaching.is_empty() => State::Unreached,
                (Some(_), None) => State::NeverThrew,
            };
            let verdicts = self.results.into_iter().flat_map(|results| {
                results.implementations().map(|it| (it.to_owned(), results.verdict(it, &reaching))).collect::<Vec<_>>()
            });
            Shown {
                reach: if state == State::Unknown {
                    String::new()
                } else {
                    reach(&reaching, is_throwing.then_some(&throwing), reason)
                },
                line: step.line,
                prose: step.instructions().map(inline::plain).filter(|line| !line.is_empty()).collect(),
                code: named.map(|named| self.snippets.below_name(&named.place)).unwrap_or_default(),
                place: named.map(|named| named.place.to_string()),
                verdicts: verdicts.filter(|(_, verdict)| verdict.passed + verdict.failed > 0).collect(),
                state,
                path,
            }
        };
        algorithm.steps.iter().map(shown).collect()
    }
}

/// How many vectors come to a step, how many throw there, and which of them does least else.
fn reach(reaching: &[&str], throwing: Option<&Vec<&str>>, reason: Option<String>) -> String {
    let mut text = plural(reaching.len(), "vector");
    if let Some(throwing) = throwing {
        text += &format!(", {} of them throw here", throwing.len());
    }
    if let Some(vector) = throwing.and_then(|throwing| throwing.first()).or(reaching.first()) {
        text += &format!("; the smallest: {vector}");
    }
    match reason {
        Some(reason) => format!("{text}; {reason}"),
        None => text,
    }
}

fn step(shown: &Shown, algorithm: &str, file: &Path, out: &mut impl Write) -> io::Result<()> {
    let id = format!("{algorithm}-{}", shown.path);
    let is_failing = shown.verdicts.iter().any(|(_, verdict)| verdict.failed > 0);
    let failing = if is_failing { " failing" } else { "" };
    let depth = shown.path.matches('.').count();
    let (class, sign, title) = (shown.state.class(), shown.state.sign(), escaped(&shown.reach));
    writeln!(out, "<li id=\"{id}\" class=\"{class}{failing} depth-{depth}\" title=\"{title}\">")?;
    let line = escaped(&format!("{}:{}", file.display(), shown.line));
    write!(out, "<div class=\"prose\"><a class=\"number\" href=\"#{id}\" title=\"{line}\">{}</a> ", shown.path)?;
    write!(out, "<b class=\"sign\">{sign}</b> ")?;
    let prose: Vec<String> = shown.prose.iter().map(|line| escaped(line)).collect();
    writeln!(out, "{}</div>", prose.join("<br>"))?;
    if !shown.code.is_empty() {
        let (place, code) = (shown.place.as_deref().unwrap_or_default(), shown.code.join("\n"));
        writeln!(out, "<pre title=\"{}\"><code>{}</code></pre>", escaped(place), escaped(&code))?;
    }
    if !shown.reach.is_empty() {
        write!(out, "<p class=\"reach\">{}", escaped(&shown.reach))?;
        for (implementation, verdict) in &shown.verdicts {
            let class = if verdict.failed > 0 { "fail" } else { "pass" };
            let failed = if verdict.failed > 0 { format!(" ✕{}", verdict.failed) } else { String::new() };
            write!(out, " <span class=\"{class}\">{} ✓{}{failed}</span>", escaped(implementation), verdict.passed)?;
        }
        writeln!(out, "</p>")?;
    }
    writeln!(out, "</li>")
}
