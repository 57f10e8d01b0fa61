/*
 * Minifies the style and the script of the payment page, by line and without a parser.
 *
 * Gain: 9 % of a page compressed with gzip (6.29 instead of 6.93 KB on average), 10 % with brotli
 * (5.84 instead of 6.51 KB), over 25 screens in two languages. Measured by compressing each screen
 * with the settings of send-page.ts, with and without it.
 * Never: changes what the browser parses. It relies on the formatter's layout (one declaration a
 * line), and on sources without template literals and without `//` or `/*` inside strings.
 * Plain version: page.css and page.js as they are; minify.test.ts compares the parsed rules in a
 * browser and the lines of the script.
 * Decision: docs/decisions/0028.
 */

/** The style without comments, indentation and line ends. */
export function minifyStyle(source: string): string {
  return codeLines(source)
    .map((line) => line.replace(/^([a-z-]+): /, '$1:').replace(/ \{$/, '{'))
    .map((line) => (/[{},;:]$/.test(line) ? line : `${line} `))
    .join('')
    .replaceAll(';}', '}')
}

/** The script without comments and indentation; line ends stay, since they end statements. */
export function minifyScript(source: string): string {
  return codeLines(source).join('\n')
}

function codeLines(source: string): string[] {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}
