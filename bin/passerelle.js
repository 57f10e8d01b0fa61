#!/usr/bin/env -S node --max-semi-space-size=32 --heap-growing-percent=50
// Plain JavaScript that any Node can run. It finds a Node new enough for the program itself, which
// is TypeScript without a build step. On Linux the package installs one in node_modules.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const needed = 24
const self = fileURLToPath(import.meta.url)
const cli = new URL('../src/cli.ts', import.meta.url)
const modules = new URL('../node_modules/', import.meta.url)
// Not the link in .bin, which npm 9 of Debian 12 does not make.
const own = fileURLToPath(new URL(`node-linux-${process.arch}/bin/node`, modules))

if (!existsSync(modules)) {
  fail('Passerelle is not installed yet: run npm ci first.')
} else if (Number(process.versions.node.split('.')[0]) >= needed) {
  // A cache of compiled code: the next start takes a third of the time.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('.cache/passerelle', modules))
  module.enableCompileCache()
  await import(cli.href)
} else if (existsSync(own) && realpathSync(own) !== process.execPath) {
  const program = spawn(own, [...process.execArgv, self, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => program.kill(signal))
  program.on('error', ({ message }) => fail(`The Node of this package cannot run: ${message}.`))
  program.on('exit', (code) => process.exit(code ?? 1))
} else {
  fail(`Passerelle needs Node ${needed} or newer; this is ${process.version}.`)
}

function fail(sentence) {
  console.error(`passerelle: ${sentence}`)
  process.exitCode = 1
}
