"""What people read, written once as Markdown, HTML or text: headings, tables, charts, the style sheet."""
