import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'

// A program of its own: writes an npm package with the commands `listen` and `trigger` to standard
// output, as an archive that npx takes by its address. It is all plain JavaScript and asks for no
// other package. Its argument is the address of the gateway that serves it.

const root = new URL('../../../', import.meta.url)
const program = 'src/program/cli/developer/alone'
const importLine = /^((?:import|export|\}).*? from|import) '(?!node:)([^']+)'/gm
const files = new Map<string, string>()
const [homepage] = process.argv.slice(2)
const { version, license } = JSON.parse(textOf(new URL('package.json', root)))
const described = { name: 'passerelle-cli', version, license, homepage, type: 'module' }
const bin = { passerelle: 'passerelle.js' }
files.set('package.json', JSON.stringify({ ...described, bin, engines: { node: '>=20.12' } }))
files.set('LICENSE', textOf(new URL('LICENSE', root)))
files.set(bin.passerelle, `#!/usr/bin/env node\nimport './${program}.js'\n`)
add(new URL(`${program}.ts`, root), `${program}.js`)
const commander = new URL('LICENSE', import.meta.resolve('commander'))
files.set('commander/LICENSE', textOf(commander))
const entries = [...files].map(([name, text]) => tarEntry(`package/${name}`, Buffer.from(text)))
process.stdout.write(gzipSync(Buffer.concat([...entries, Buffer.alloc(1024)]), { level: 9 }))

function textOf(file: URL): string {
  return readFileSync(file, 'utf8')
}

/** Adds a file of the sources, or of a package, and all that it imports. */
function add(source: URL, target: string): void {
  if (files.has(target)) return
  // Kept before its imports are: some import each other.
  files.set(target, '')
  const text = textOf(source)
  const code = source.pathname.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  const linked = code.replaceAll(importLine, (_, before: string, name: string) => {
    const folder = posix.dirname(target)
    const [imported, place] = name.startsWith('.')
      ? [new URL(name, source), posix.join(folder, name)]
      : name.startsWith('#')
        ? [new URL(import.meta.resolve(name)), `src/${name.slice(1)}`]
        : [new URL(import.meta.resolve(name)), `${name}/index.js`]
    const script = place.replace(/\.ts$/, '.js')
    add(imported, script)
    return `${before} './${posix.relative(folder, script)}'`
  })
  files.set(target, linked)
}

/** A file in the format ustar: a header of 512 bytes, and the content filled up to a block. */
function tarEntry(name: string, content: Buffer): Buffer {
  if (name.length > 100) throw new Error(`${name} is too long a name for the archive`)
  const header = Buffer.alloc(512)
  const put = (text: string, at: number) => void header.write(text, at, 'latin1')
  put(name, 0)
  put(octal(0o644, 8), 100)
  put(octal(0, 8), 108)
  put(octal(0, 8), 116)
  put(octal(content.length, 12), 124)
  put(octal(0, 12), 136)
  put('        0', 148)
  put('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(octal(sum, 7), 148)
  return Buffer.concat([header, content, Buffer.alloc(-content.length & 511)])
}

/** A number in as many octal digits as fit, ended by a zero byte. */
function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`
}
