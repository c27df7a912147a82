//! A report as a list of blocks, written as Markdown or as HTML.

use crate::picture::escape;
use crate::text_table::TextTable;

/// A part of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    Heading(String),
    Paragraph(String),
    Table {
        header: Vec<String>,
        rows: Vec<Vec<String>>,
    },
    /// A drawing, by the name of its file without the ending.
    Picture {
        name: String,
        title: String,
    },
    /// A drawing within the page, as SVG.
    Drawing {
        svg: String,
        title: String,
    },
    /// Text as it is, such as a board.
    Verbatim(String),
}

/// The blocks as Markdown. Pictures are left to HTML.
pub fn to_markdown(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        match block {
            Block::Heading(heading) => text += &format!("## {heading}\n\n"),
            Block::Paragraph(paragraph) => text += &format!("{paragraph}\n\n"),
            Block::Table { header, rows } => text += &format!("{}\n\n", text_table(header, rows)),
            Block::Picture { .. } | Block::Drawing { .. } => {}
            Block::Verbatim(lines) => text += &format!("```text\n{}\n```\n\n", lines.trim_end()),
        }
    }
    text
}

fn text_table(header: &[String], rows: &[Vec<String>]) -> TextTable {
    let mut table = TextTable::new(header);
    rows.iter().for_each(|row| table.add_row(row));
    table
}

const STYLE: &str = "
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid #8884; padding: .3rem .7rem; text-align: left; white-space: nowrap; }
th { border-bottom: 2px solid #8888; }
td { font-variant-numeric: tabular-nums; }
img { max-width: 100%; }
pre { overflow-x: auto; line-height: 1.25; }
figcaption { font-size: .9rem; opacity: .8; }
.agrees { color: #1a7f37; } .contradicts { color: #b42318; font-weight: bold; } .differs { color: #9a6700; }
figure svg { max-width: 100%; height: auto; }
@media print {
  :root { color-scheme: light; }
  body { margin: 0; max-width: none; font-size: 11pt; }
  figure, tr { break-inside: avoid; }
  pre { white-space: pre-wrap; }
}
@media (prefers-color-scheme: dark) {
  .agrees { color: #57c078; } .contradicts { color: #ff7b72; } .differs { color: #d9a441; }
}
";

/// The blocks as a page of their own. Pictures stand beside it as SVG files.
pub fn to_html(title: &str, blocks: &[Block]) -> String {
    let mut body = String::new();
    for block in blocks {
        match block {
            Block::Heading(heading) => body += &format!("<h2>{}</h2>\n", escape(heading)),
            Block::Paragraph(paragraph) => body += &format!("<p>{}</p>\n", inline(paragraph)),
            Block::Table { header, rows } => body += &html_table(header, rows),
            Block::Picture { name, title } => {
                let title = escape(title);
                body += &format!(
                    "<figure><img src=\"{name}.svg\" alt=\"{title}\"><figcaption>{title} \
                     (<a href=\"{name}.svg\">SVG</a>)</figcaption></figure>\n"
                );
            }
            Block::Drawing { svg, title } => {
                let title = escape(title);
                body += &format!("<figure>{svg}<figcaption>{title}</figcaption></figure>\n");
            }
            Block::Verbatim(lines) => body += &format!("<pre>{}</pre>\n", escape(lines)),
        }
    }
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(title)
    )
}

fn html_table(header: &[String], rows: &[Vec<String>]) -> String {
    let head: String = header.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
    let cell = |cell: &String| {
        // Verdicts have a colour, and their word for those who do not see it.
        let is_verdict = |word: &str| cell == word || cell.ends_with(&format!("; {word}"));
        let class = match () {
            () if is_verdict("agrees") || is_verdict("agrees, but smaller") => " class=\"agrees\"",
            () if is_verdict("differs") => " class=\"differs\"",
            () if is_verdict("contradicts") => " class=\"contradicts\"",
            () => "",
        };
        format!("<td{class}>{}</td>", inline(cell))
    };
    let row =
        |row: &Vec<String>| format!("<tr>{}</tr>\n", row.iter().map(cell).collect::<String>());
    let body: String = rows.iter().map(row).collect();
    format!("<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n")
}

/// Text between backquotes is code, and `[text](file)` a link, as in Markdown.
fn inline(text: &str) -> String {
    let mut html = String::new();
    for (i, part) in escape(text).split('`').enumerate() {
        html += &if i % 2 == 1 { format!("<code>{part}</code>") } else { links(part) };
    }
    html
}

fn links(text: &str) -> String {
    let found = text.split_once('[').and_then(|(before, rest)| {
        let (label, rest) = rest.split_once("](")?;
        let (target, after) = rest.split_once(')')?;
        Some(format!("{before}<a href=\"{target}\">{label}</a>{}", links(after)))
    });
    found.unwrap_or_else(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_coloured_by_the_verdict_at_their_end() {
        let cell = |text: &str| html_table(&[], &[vec![text.to_owned()]]);
        let coloured =
            "<td class=\"agrees\">0.700 → 0.650 [0.600, 0.700]; agrees, but smaller</td>";
        assert!(cell("0.700 → 0.650 [0.600, 0.700]; agrees, but smaller").contains(coloured));
        assert!(cell("differs").contains("<td class=\"differs\">"));
        assert!(cell("nothing agrees").contains("<td>"), "a word of a sentence is no verdict");
    }

    #[test]
    fn tables_are_aligned_in_markdown_and_escaped_in_html() {
        let text = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect::<Vec<_>>();
        let blocks = [
            Block::Table { header: text(&["a", "score"]), rows: vec![text(&["x|y", "1 < 2"])] },
            Block::Paragraph("run `a & b`, see [there](b.html)".to_owned()),
        ];
        let markdown = to_markdown(&blocks);
        assert!(markdown.starts_with("| a    | score |\n|------|-------|\n| x\\|y | 1 < 2 |\n"));
        let html = to_html("t", &blocks);
        assert!(html.contains("<td>1 &lt; 2</td>"), "{html}");
        assert!(
            html.contains("<code>a &amp; b</code>, see <a href=\"b.html\">there</a>"),
            "{html}"
        );
    }
}
