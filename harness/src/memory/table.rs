//! The tables: for people, and as Markdown.

use comfy_table::{CellAlignment, Table, presets};

use super::Unit;
use super::campaign::{Results, Row};

/// The form of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// For a terminal.
    Text,
    /// For a document.
    Markdown,
}

/// The table of a workload. In a document each row has the command that measures it, which ends with `arguments`.
pub(crate) fn table(results: &Results, form: Form, arguments: &str) -> String {
    let workload = results.workload;
    let mut table = Table::new();
    table.load_style(if form == Form::Markdown { presets::ASCII_MARKDOWN } else { presets::NOTHING });
    let mut header = vec![workload.name.to_owned()];
    for column in workload.columns {
        header.push(column.heading.to_owned());
        if workload.compared == Some(column.key) {
            header.push(format!("of `{}`", workload.ways[0].name));
        }
    }
    let figures = header.len();
    if form == Form::Markdown {
        header.push("command".to_owned());
    }
    table.set_header(header);
    for row in &results.rows {
        let mut cells = vec![name_of(row)];
        cells.extend(cells_of(results, row));
        if form == Form::Markdown {
            cells.push(format!("`webnn bench memory {}/{}{arguments}`", workload.name, row.way.name));
        }
        table.add_row(cells);
    }
    for column in table.column_iter_mut().take(figures).skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let mut text = format!("{}: {}\n", workload.name, workload.about);
    if form == Form::Markdown {
        text.push('\n');
    }
    text.push_str(&table.trim_fmt());
    text.push('\n');
    for row in &results.rows {
        if let Some(failure) = &row.failure {
            text.push_str(&format!("{} failed: {failure}\n", row.way.name));
        }
    }
    if let Some(contradiction) = &results.contradiction {
        text.push_str(&format!("WRONG: {contradiction}\n"));
    }
    text
}

/// What a row is called, with what it has to say beside that.
fn name_of(row: &Row) -> String {
    let remark = row.last.remark.as_ref().map(|remark| format!(" ({remark})"));
    format!("{}{}", row.way.name, remark.unwrap_or_default())
}

fn cells_of(results: &Results, row: &Row) -> Vec<String> {
    let mut cells = Vec::new();
    for column in results.workload.columns {
        let figure = row.figures.get(column.key).map(|spread| spread.median);
        cells.push(figure.map_or_else(|| "-".to_owned(), |figure| written(figure, column.unit)));
        if results.workload.compared == Some(column.key) {
            cells.push(results.compared(row).map_or_else(|| "-".to_owned(), |times| written(times, Unit::Factor)));
        }
    }
    cells
}

/// A figure as people read it: three digits and a unit.
pub(crate) fn written(figure: f64, unit: Unit) -> String {
    match unit {
        Unit::Bytes => bytes(figure),
        Unit::Speed => format!("{} GB/s", digits(figure / 1e9)),
        Unit::Seconds if figure < 1e-3 => format!("{} µs", digits(figure * 1e6)),
        Unit::Seconds if figure < 1.0 => format!("{} ms", digits(figure * 1e3)),
        Unit::Seconds => format!("{} s", digits(figure)),
        Unit::Count => format!("{figure:.0}"),
        Unit::Factor => digits(figure),
    }
}

fn bytes(figure: f64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut scaled = figure;
    let mut unit = 0;
    while scaled >= 1024.0 && unit + 1 < units.len() {
        scaled /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{scaled:.0} B") } else { format!("{} {}", digits(scaled), units[unit]) }
}

fn digits(figure: f64) -> String {
    match figure.abs() {
        large if large >= 99.95 => format!("{figure:.0}"),
        medium if medium >= 9.995 => format!("{figure:.1}"),
        _ => format!("{figure:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_digits_and_a_unit() {
        assert_eq!(written(0.0, Unit::Bytes), "0 B");
        assert_eq!(written(1536.0, Unit::Bytes), "1.50 KiB");
        assert_eq!(written(4.0 * 1024.0 * 1024.0 * 1024.0, Unit::Bytes), "4.00 GiB");
        assert_eq!(written(0.000_012_3, Unit::Seconds), "12.3 µs");
        assert_eq!(written(0.123_4, Unit::Seconds), "123 ms");
        assert_eq!(written(12.34, Unit::Seconds), "12.3 s");
        assert_eq!(written(2.5e9, Unit::Speed), "2.50 GB/s");
        assert_eq!(written(999.96, Unit::Factor), "1000");
        assert_eq!(written(7.0, Unit::Count), "7");
    }
}
