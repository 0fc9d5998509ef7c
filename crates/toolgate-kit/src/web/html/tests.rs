//! Pages and the Markdown that they become, and pages that are made to hurt.

use std::fmt::Write as _;

use super::{Page, read_page};
use crate::stop::Stop;
use crate::stop::counted::stops_at_every_question;

fn page(html: &str) -> Page {
    let base = url::Url::parse("https://example.com/docs/page").unwrap();
    read_page(html, Some(&base), 1_000_000, &Stop::when(|| false)).unwrap()
}

#[test]
fn pages_become_markdown() {
    for (html, markdown) in [
        ("one\n  two<p>three", "one two\n\nthree"),
        ("<h1> A  <em>b</em> </h1><p>c</p><h3>d</h3>e", "# A *b*\n\nc\n\n### d\n\ne"),
        ("<h2><div>a</div><p>b</p></h2>c", "## a b\n\nc"),
        ("a<b> b </b>c <i></i>d<strong><em>e</em></strong>", "a **b** c d***e***"),
        ("<b>one<p>two</b>three", "**one**\n\n**two**three"),
        ("<b>a<i>b</b>c</i>d", "**a*b****c*d"),
        (
            "<a href='/x y'>link</a>, <a href=sub>sub</a>",
            "[link](https://example.com/x%20y), [sub](https://example.com/docs/sub)",
        ),
        (
            "<a href='https://a.example/(1)'><h3>head</h3><p>text</a>after",
            "[head text](https://a.example/%281%29)after",
        ),
        ("<a href='javascript:x()'>a</a><a href='#top'>b</a><a name=x>c</a><a href='/e'></a>", "abc"),
        ("<a href=/1>a<a href=/2>b", "[a](https://example.com/1)[b](https://example.com/2)"),
        (
            "<img src=/i.png alt='A picture'><img src=x><img alt=z src='data:image/png;base64,AA'>",
            "![A picture](https://example.com/i.png)z",
        ),
        ("<ul><li>a<li>b<ul><li>c</ul><li><p>d</p><p>e</p></ul>f", "- a\n- b\n  - c\n- d\n\n  e\n\nf"),
        ("<ol start=9><li>a</li><li>b</li></ol>", "9. a\n10. b"),
        ("<li>stray</li><li>again</li>", "- stray\n- again"),
        ("<blockquote><p>a</p><ul><li>b</ul><p>c</blockquote>d", "> a\n>\n> - b\n>\n> c\n\nd"),
        (
            "<pre><code class='x language-rust'>fn a() {\n  b\n}\n</code></pre>c",
            "```rust\nfn a() {\n  b\n}\n```\n\nc",
        ),
        ("<ul><li>x<pre>a\n\nb ``` c</pre></ul>", "- x\n\n  ````\n  a\n  \n  b ``` c\n  ````"),
        ("use <code>a  b</code>.", "use `a b`."),
        (
            "<table><tr><th>n<th>v</tr><tr><td>a|b<td><p>1</p><p>2</p></table>z",
            "n | v\n--- | ---\na\\|b | 1 2\n\nz",
        ),
        ("<table><tr><td>x<table><tr><td>1<td>2</table></table>", "x\n\n1 | 2"),
        ("a<br>b<hr>c", "a\nb\n\n---\n\nc"),
        ("<script>if (a < b) '</p>'</script><style>p{}</style>a<svg><svg><text>x</text></svg>y</svg>b", "ab"),
        ("&lt;tag&gt; &amp; &eacute;&#x1F600; &nbsp;", "<tag> & é😀 \u{a0}"),
        ("<!-- no --><!doctype html><![CDATA[x]]>a", "a"),
        ("<dl><dt>t<dd>d</dl>", "t\nd"),
        ("", ""),
    ] {
        assert_eq!(page(html).markdown.trim_end(), markdown.trim_end(), "{html}");
    }
}

#[test]
fn the_title_is_one_line_and_no_text() {
    let read = page("<title> A &amp; \n B </title><title>no</title><p>text");
    assert_eq!((read.title.as_deref(), read.markdown.as_str()), (Some("A & B"), "no\n\ntext"));
    assert_eq!(page("<title> </title>x").title, None);
    assert_eq!(page(&format!("<title>{}", "x".repeat(1_000_000))).title.unwrap().len(), 300);
}

/// Pages of about a megabyte that stop other converters: each must come out in one linear pass.
#[test]
fn hostile_pages_are_read_to_their_end() {
    let mut odd = String::new();
    for number in 0..25_000 {
        write!(odd, "<b a{number}=1><a href=/{number}>").unwrap();
    }
    for (html, what) in [
        ("<div>".repeat(250_000), "open divisions"),
        ("<span>".repeat(200_000), "open spans"),
        ("<b><i><a href=/x>".repeat(50_000), "open marks"),
        ("<ul><li>x".repeat(75_000), "open lists"),
        ("<blockquote>x".repeat(75_000), "open quotations"),
        ("<table><tr><td>x".repeat(50_000), "open tables"),
        ("<p>x</b></i></div>".repeat(50_000), "end tags of nothing"),
        (format!("<p {}>x", "a=b ".repeat(250_000)), "attributes"),
        (format!("<a href={}>x", "y".repeat(1_000_000)), "a long address"),
        (format!("<{}>", "d".repeat(1_000_000)), "a long name"),
        (format!("<!--{}", "-".repeat(1_000_000)), "an open comment"),
        ("&".repeat(1_000_000), "references"),
        ("<".repeat(1_000_000), "brackets"),
        (format!("<pre>{}", "`\n".repeat(500_000)), "open code"),
        (format!("<svg>{}x", "<svg>".repeat(125_000)), "open pictures"),
        (odd, "odd marks"),
    ] {
        let base = url::Url::parse("https://example.com/").unwrap();
        let limit = 500_000;
        let read = read_page(&html, Some(&base), limit, &Stop::when(|| false)).unwrap();
        // One more piece may be written after the limit: the longest is one text between two tags.
        assert!(read.markdown.len() <= limit + html.len(), "{what}: {}", read.markdown.len());
        assert_eq!(read.cut, read.markdown.len() > limit, "{what}");
    }
}

#[test]
fn it_stops_when_it_is_told_to() {
    let html = "<p>x</p>".repeat(3_000);
    let questions =
        stops_at_every_question(|stop| read_page(&html, None, 1_000_000, stop), |outcome| outcome.is_err());
    assert!(questions > 5, "{questions}");
}
