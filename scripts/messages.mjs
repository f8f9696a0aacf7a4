// Prints every text of the source that a person may read, with the place and the function it comes from and its holes:
// all errors, warnings, questions, help texts and titles, to be read in one sitting.
// `node scripts/messages.mjs src/forms` prints those of one folder or file.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

// Texts for a computer: names of modules and types, what is compared, SQL, addresses, patterns.
const NOT_READ = new Set([
  'ImportDeclaration',
  'ImportExpression',
  'ExportAllDeclaration',
  'TSLiteralType',
  'TaggedTemplateExpression',
]);
// Names of countries, examples, and the words of shops.
const DATA = /country-names|\/examples|sample|guess\/headers|\.d\.ts$/;
const COMPARED = new Set(['===', '!==', 'in']);
const SQL =
  /^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA|BEGIN|COMMIT|ROLLBACK|SET|LISTEN|NOTIFY|LOCK|VALUES)\b/;
// What is shown although it is a single word.
const SHOWN = /^(title|label|name|head|description|hint|message|what)$/;

const isText = node =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' && node.operator === '+' && (isText(node.left) || isText(node.right)));

/** The text as it is shown; `${…}` holds what is computed, as in the source. */
const shown = (node, source) => {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node.type === 'BinaryExpression' && isText(node))
    return shown(node.left, source) + shown(node.right, source);
  if (node.type !== 'TemplateLiteral')
    return `\${${source.slice(node.start, node.end).replace(/\s+/g, ' ')}}`;
  return node.quasis
    .map(
      ({ value }, at) => value.cooked + (at in node.expressions ? shown(node.expressions[at], source) : ''),
    )
    .join('');
};

const nameOf = node => node?.name ?? node?.value ?? node?.property?.name ?? '';

/** The name of the function, method or constant that a node makes; a constant within a function is a part of it. */
const named = (node, within) => {
  const isFunction = /Function|MethodDefinition/.test(node.type) || /Function/.test(node.init?.type);
  return isFunction || within === ''
    ? nameOf(node.id ?? (node.type === 'MethodDefinition' ? node.key : undefined))
    : '';
};

/** All texts of a file, each as `{ line, within, text }`. */
const textsOf = (path, source) => {
  const found = [];
  const lineAt = offset => source.slice(0, offset).split('\n').length;
  const visit = (node, parent, { within, call, key }) => {
    if (!node || typeof node.type !== 'string' || NOT_READ.has(node.type)) return;
    if (isText(node)) {
      const text = shown(node, source);
      const words = text.replace(/\$\{[^}]*\}/g, ' x ');
      const sentence =
        /[a-z]{2,}[,.:;]?\s+\S|\S\s+[a-z]{2,}/i.test(words) && !SQL.test(text) && call !== 'raw';
      const isCell = parent.type === 'ArrayExpression' || node === parent.value || node === parent.consequent;
      const title = /[a-z]{2}/i.test(words) && isCell && (SHOWN.test(key) || /^[A-Z][a-z]+$/.test(text));
      const emits = [within, call].filter(Boolean).join(' › ');
      if (sentence || title) found.push({ line: lineAt(node.start), within: emits, text });
      else if (node.type === 'TemplateLiteral')
        for (const hole of node.expressions) visit(hole, node, { within, call, key });
      return;
    }
    if (node.type === 'BinaryExpression' && COMPARED.has(node.operator)) return;
    const around = {
      within: named(node, within) || within,
      call: /^(Call|New)Expression$/.test(node.type) ? nameOf(node.callee) : call,
      key: node.type === 'Property' ? nameOf(node.key) : key,
    };
    for (const [part, value] of Object.entries(node))
      if (part !== 'type' && !(part === 'key' && !node.computed))
        for (const child of [value].flat())
          if (child && typeof child === 'object') visit(child, node, around);
  };
  visit(
    parseAst(source, { lang: path.endsWith('.ts') ? 'ts' : 'js' }),
    {},
    { within: '', call: '', key: '' },
  );
  return found;
};

const filesOf = path =>
  statSync(path).isFile()
    ? [path]
    : readdirSync(path, { recursive: true })
        .filter(name => /\.(ts|mjs)$/.test(name) && !DATA.test(name))
        .sort()
        .map(name => join(path, name));

const wanted = process.argv.slice(2);
for (const path of (wanted.length > 0 ? wanted : ['src', 'action']).flatMap(filesOf)) {
  for (const { line, within, text } of textsOf(path, readFileSync(path, 'utf8')))
    process.stdout.write(`${path}:${line}  ${within}\n    ${text.replaceAll('\n', '\n    ')}\n`);
}
