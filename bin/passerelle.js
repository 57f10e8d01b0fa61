#!/usr/bin/env node
// Plain JavaScript that any Node can read: it finds a Node new enough for the program itself, which
// is TypeScript run as it is. The package installs one beside itself where the platform has it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const needed = 24
const cli = new URL('../src/cli.ts', import.meta.url)

if (Number(process.versions.node.split('.')[0]) >= needed) {
  await import(cli.href)
} else {
  const own = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
  if (existsSync(own)) {
    const program = spawn(own, [fileURLToPath(cli), ...process.argv.slice(2)], {
      stdio: 'inherit',
    })
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => program.kill(signal))
    program.on('exit', (code) => process.exit(code ?? 1))
  } else {
    console.error(`Passerelle needs Node ${needed} or newer; this is ${process.version}.`)
    process.exitCode = 1
  }
}
