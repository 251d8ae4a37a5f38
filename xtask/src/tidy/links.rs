//! Links from page to page, which must lead somewhere.

use super::Finding;
use super::tree::{File, Tree};

/// Finds links to pages and headings of this project that do not exist. Those that leave it are not
/// looked at, and neither are pictures.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        if !file.path.ends_with(".md") {
            continue;
        }
        let mut is_fenced = false;
        for (line, text) in (1..).zip(file.text.lines()) {
            is_fenced ^= text.trim_start().starts_with("```");
            for link in links(text).filter(|_| !is_fenced) {
                if !leads_somewhere(tree, file, link) {
                    let message = format!("the link `{link}` leads nowhere; correct it");
                    findings.push(Finding::new(&file.path, line, message));
                }
            }
        }
    }
    findings
}

/// What stands in brackets behind the words of a link.
fn links(line: &str) -> impl Iterator<Item = &str> {
    let ends = line.split("](").skip(1);
    ends.filter_map(|rest| Some(rest.split_once(')')?.0))
        .filter(|link| !link.contains("://") && !link.ends_with(".png"))
}

fn leads_somewhere(tree: &Tree, from: &File, link: &str) -> bool {
    let (page, heading) = link.split_once('#').unwrap_or((link, ""));
    let target = match page {
        "" => Some(from),
        _ => tree.get(&joined(&from.path, page)),
    };
    target.is_some_and(|file| {
        let headings = file.text.lines().filter(|line| line.starts_with('#'));
        heading.is_empty() || headings.map(anchor).any(|anchor| anchor == heading)
    })
}

/// The path of a page as a link in another page names it.
fn joined(from: &str, link: &str) -> String {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}

/// The name that a heading has in links.
fn anchor(heading: &str) -> String {
    let words = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = words.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    });
    kept.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_pages_and_headings() {
        let tree = Tree::of(&[
            (
                "docs/a.md",
                "# A\n[b](guide/b.md), [c](guide/c.md)\n[x](https://x.y/z), ![p](p.png), [up](../R.md)\n```text\nf[E](v)\n```\n",
            ),
            (
                "docs/guide/b.md",
                "## Is it `gone`?\n[here](#is-it-gone) [a](../a.md#a) [none](../a.md#b)\n",
            ),
            ("R.md", "[d](docs)\n"),
        ]);
        let findings: Vec<_> = check(&tree).iter().map(Finding::to_string).collect();
        let expected = [
            ("R.md:1", "docs"),
            ("docs/a.md:2", "guide/c.md"),
            ("docs/guide/b.md:2", "../a.md#b"),
        ];
        let expected =
            expected.map(|(at, link)| format!("{at}: the link `{link}` leads nowhere; correct it"));
        assert_eq!(findings, expected);
    }
}
