import DOMPurify from 'dompurify';
import { marked } from 'marked';

/** Elements that a statement may have: text, lists, tables, code. Nothing that loads, frames, asks or runs. */
const TAGS = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code', 'a'],
  ...['b', 'strong', 'i', 'em', 'u', 's', 'del', 'sub', 'sup', 'kbd', 'var', 'samp', 'span', 'div'],
  ...['table', 'thead', 'tbody', 'tr', 'th', 'td', 'dl', 'dt', 'dd'],
];

/**
 * HTML within Markdown, reduced to bare tags before it is parsed as HTML at all: attributes go, and with them every event
 * handler; of elements that a statement may not have only the text stays.
 */
const bareTags = (html: string): string =>
  html
    .replaceAll(/<!--.*?-->/gs, '')
    .replaceAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>?/gi, (_, slash: string, tag: string) =>
      TAGS.includes(tag.toLowerCase()) ? `<${slash}${tag.toLowerCase()}>` : '',
    );
marked.use({ renderer: { html: ({ text }) => bareTags(text) } });

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('rel', 'noopener noreferrer nofollow');
  node.setAttribute('target', '_blank');
});

/**
 * A statement as HTML that is safe to show: whoever wrote it is not trusted. Scripts, pictures, forms, styles and event
 * handlers are left out, and the page's policy would stop them too.
 */
export function statementHtml(markdown: string): string {
  const html = marked.parse(markdown, { async: false, gfm: true });
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'colspan', 'rowspan', 'align', 'start'],
    ALLOWED_URI_REGEXP: /^https?:/i,
  });
}
