// npm run chaos [EXPERIMENTS AND OPTIONS]; npm run chaos mutants …: changes of the sources that
// tests must notice; npm run chaos plot RESULT.json FILE.svg: a picture of a run.
const programs: Record<string, () => Promise<unknown>> = {
  mutants: () => import('./mutants/run.ts'),
  plot: () => import('./plot.ts'),
}
const program = programs[process.argv[2] ?? '']
if (program !== undefined) process.argv.splice(2, 1)
await (program === undefined ? import('./run.ts') : program())
