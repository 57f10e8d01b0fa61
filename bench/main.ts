import { scenarioNames } from './scenarios.ts'

/** The benchmarks that have a program of their own. */
const programs: Record<string, () => Promise<unknown>> = {
  cells: () => import('./cells.ts'),
  checkout: () => import('./checkout.ts'),
  curve: () => import('./curve.ts'),
  history: () => import('./history.ts'),
  'open-pages': () => import('./open-pages.ts'),
  pages: () => import('./pages.ts'),
  recon: () => import('./recon.ts'),
  soak: () => import('./soak.ts'),
  traces: () => import('./traces.ts'),
}

// npm run bench [NAME] [OPTIONS]: one of these programs, else scenarios, all unless they are named.
const [name = ''] = process.argv.slice(2)
const program = programs[name]
if (program !== undefined) {
  process.argv.splice(2, 1)
  await program()
} else {
  const isNamed = name !== '' && !name.startsWith('-')
  if (isNamed && name.split(',').some((one) => !scenarioNames.includes(one))) {
    console.error(`bench: ${[...Object.keys(programs), ...scenarioNames].join(', ')}, not ${name}.`)
    process.exit(1)
  }
  if (isNamed) process.argv.splice(2, 0, '--scenario')
  await import('./run.ts')
}
