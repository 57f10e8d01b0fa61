/** One small change of a source file. */
export interface Mutant {
  line: number
  /** What was there, and what is there now. */
  what: string
  text: string
}

// As the formatter writes them: operators stand between spaces, which those of types do not.
const swaps: [pattern: RegExp, ...others: string[]][] = [
  [/ \+ /g, ' - '],
  [/ - /g, ' + '],
  [/ \* /g, ' + '],
  [/ \/ /g, ' * '],
  [/ < /g, ' <= ', ' > '],
  [/ <= /g, ' < ', ' > '],
  [/ > /g, ' >= ', ' < '],
  [/ >= /g, ' > ', ' < '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \?\? /g, ' && '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=[(=,:?] ?)-(?=[a-z])/g, ''],
  [/(?<=[(\s])!(?=[a-z(])/g, ''],
  [/\bMath\.min\b/g, 'Math.max'],
  [/\bMath\.max\b/g, 'Math.min'],
  [/\bMath\.floor\b/g, 'Math.ceil'],
  // In statements of SQL.
  [/ <> /g, ' = '],
  [/ and (?=[a-z(])/g, ' or '],
  [/ for update/g, ''],
  [/ is not null/g, ' is null'],
  [/ is null/g, ' is not null'],
]

/** Every mutant of a source file: comments, imports and declarations of types are left alone. */
export function mutantsOf(source: string): Mutant[] {
  const lines = source.split('\n')
  const isCode = codeLines(lines)
  const found: Mutant[] = []
  const add = (at: number, from: number, old: string, other: string) => {
    const line = lines[at] ?? ''
    const changed = line.slice(0, from) + other + line.slice(from + old.length)
    if (changed === line) return
    const text = lines.with(at, changed).join('\n')
    found.push({ line: at + 1, what: `"${line.trim()}" became "${changed.trim()}"`, text })
  }
  for (const [at, line] of lines.entries()) {
    if (!isCode[at]) continue
    const code = line.replace(/ \/\/ .*$/, '')
    for (const [pattern, ...others] of swaps)
      for (const { index, 0: old } of code.matchAll(pattern))
        for (const other of others) add(at, index, old, other)
    for (const { index, 0: old } of code.matchAll(/(?<![\w.$])\d[\d_]*(?![\w.])/g))
      add(at, index, old, String(Number(old.replaceAll('_', '')) + 1))
    // A condition that holds always and one that never does.
    for (const { index } of code.matchAll(
      /^\s*(?:else )?if \((?=.*\)(?: \{| return| throw| continue|$))/g,
    ))
      for (const other of ['true || ', 'false && '])
        add(at, index + code.slice(index).indexOf('(') + 1, '', other)
    // A statement that is left out.
    if (/^\s+(?:await )?[a-z]\w*(?:\.\w+)*\(.*\)$/.test(code))
      add(at, 0, line, `${/^\s*/.exec(line)?.[0] ?? ''}void 0`)
  }
  return found
}

function codeLines(lines: string[]): boolean[] {
  let isComment = false
  let isDeclared = false
  return lines.map((line) => {
    if (/^\s*\/\*/.test(line)) isComment = true
    if (/^(?:import|export \{|export \*)|^(?:export )?(?:interface|type) /.test(line))
      isDeclared = true
    const isCode = !isComment && !isDeclared && !/^\s*\/\//.test(line)
    if (/\*\/\s*$/.test(line)) isComment = false
    // A declaration ends where the next thing begins: with a line that is empty or a brace.
    if (isDeclared && /^$|^\}|^import .* from /.test(line)) isDeclared = false
    return isCode
  })
}
