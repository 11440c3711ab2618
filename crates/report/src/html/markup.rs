//! HTML from text: everything that comes from outside is escaped here.

/// Text with the five characters that mean something to HTML replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}

/// A table whose first `labels` columns are labels and whose other columns are numbers.
pub(super) fn table(headings: &[&str], labels: usize, rows: &[Vec<String>]) -> String {
    let class = |column: usize| if column < labels { "label" } else { "value" };
    let cells = |tag: &str, texts: &mut dyn Iterator<Item = &str>| -> String {
        texts
            .enumerate()
            .map(|(column, text)| {
                format!("<{tag} class=\"{}\">{}</{tag}>", class(column), escape(text))
            })
            .collect()
    };
    let mut html = format!(
        "<div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
        cells("th", &mut headings.iter().copied())
    );
    for row in rows {
        html += &format!("<tr>{}</tr>\n", cells("td", &mut row.iter().map(String::as_str)));
    }
    html + "</tbody>\n</table></div>\n"
}

/// A text table that opens on a click; nothing for an empty one.
pub(super) fn preformatted(heading: &str, body: &str) -> String {
    if body.is_empty() {
        return String::new();
    }
    format!(
        "<details><summary>{}</summary>\n<pre>{}</pre>\n</details>\n",
        escape(heading),
        escape(body)
    )
}
