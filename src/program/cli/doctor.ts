import { access, constants, stat, statfs } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { type Config, loadConfig } from '#base/config/config.ts'
import { ConfigProblems } from '#base/config/problems.ts'
import { systemClock } from '#base/kit/clock.ts'
import { isDatabaseMade } from '#data/db/server.ts'
import { ignoreMissing } from '#data/postgres/data-folder.ts'
import { isOver } from '#merchants/catalog/maintenance.ts'
import type { Closure } from '#merchants/catalog/store.ts'
import { addressProblems } from '#merchants/cells/addresses.ts'
import { cellProblem } from '#merchants/cells/own-name.ts'
import type { Records } from '#records.ts'
import { type Finding, type Level, ok, problem, warning } from './finding.ts'
import { onServer, roomsOn } from './session.ts'
import { counted, print } from './terminal.ts'

/** `passerelle doctor`: checks everything the gateway needs, and exits with 1 on a problem. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the configuration and everything it names')
    .action(async (_options, command: Command) => {
      const findings = await runChecks()
      const marks: Record<Level, string> = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' }
      const lines = findings.map(({ level, what }) => `${marks[level]}  ${what}`)
      print(command, { findings }, lines)
      if (findings.some(({ level }) => level === 'problem')) process.exitCode = 1
    })
}

async function runChecks(): Promise<Finding[]> {
  let config: Config
  try {
    config = loadConfig()
  } catch (wrong) {
    if (wrong instanceof ConfigProblems) return wrong.problems.map(problem)
    throw wrong
  }
  // Loaded for this command alone.
  const { checkAlerts, checkProviders } = await import('./doctor-asks.ts')
  return [
    ok(`Node ${process.versions.node}, ${config.mode} mode`),
    await checkFolder(config.dataDir),
    ...(await checkDatabase(config)),
    ...(await checkProviders(config)),
    await checkPort(config),
    ...(await checkMail(config)),
    ...(await checkAlerts(config)),
    ...(await (await import('./doctor-archive.ts')).checkArchive(config)),
  ]
}

const freeBytesMin = 1_000_000_000

async function checkFolder(folder: string): Promise<Finding> {
  try {
    const { bavail, bsize } = await statfs(await writableFolder(folder))
    const freeGb = (bavail * bsize) / 1e9
    if (bavail * bsize < freeBytesMin)
      return warning(`DATA_DIR ${folder} has only ${freeGb.toFixed(1)} GB left`)
    return ok(`DATA_DIR ${folder} can be written, ${freeGb.toFixed(1)} GB free`)
  } catch (wrong) {
    return problem(`DATA_DIR ${folder} cannot be used: ${(wrong as Error).message}`)
  }
}

/** The folder, or the nearest one above it that is there: a check makes none. */
async function writableFolder(path: string): Promise<string> {
  const found = await stat(path).catch(ignoreMissing)
  if (found === undefined) return writableFolder(dirname(path))
  if (!found.isDirectory()) throw new Error(`${path} is not a folder`)
  await access(path, constants.W_OK)
  return path
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  try {
    if (!(await isDatabaseMade(config)))
      return [warning(`there is no database in ${config.dataDir} yet: \`serve\` will make it`)]
    return await onServer(async (server) => {
      const where = server.isEmbedded ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL'
      const { applied, newer, pending } = await server.status()
      if (pending.length > 0)
        return [
          ok(`${where} answers`),
          warning(`${counted(pending.length, 'migration')} pending: \`serve\` will apply them`),
        ]
      const { catalog, cells, clients, secrets } = roomsOn(await server.open(), config)
      const demo = await clients.demoNames()
      return [
        ok(`${where} answers, ${counted(applied.length, 'migration')} applied`),
        config.mode === 'live' && demo.length > 0
          ? problem('the database holds sandbox demo data, which live mode refuses')
          : ok(demo.length > 0 ? `demo data: ${demo.join(', ')}` : 'no demo data'),
        await checkKeys(secrets, config),
        ...newer
          .slice(-1)
          .map(({ name }) =>
            warning(
              `the database is of a newer program, up to ${name}: this one may run meanwhile`,
            ),
          ),
        ...checkCell(await cells.storedName(), config),
        ...(await catalog.closures()).map(closureFinding),
      ]
    })
  } catch (wrong) {
    return [problem((wrong as Error).message)]
  }
}

function closureFinding(closure: Closure): Finding {
  const { scope, since, until } = closure
  const what = `${scope} is closed for maintenance since ${since.toISOString()}`
  return isOver(closure, systemClock.now())
    ? problem(`${what}, beyond its planned end: open it by \`maintenance off ${scope}\``)
    : warning(`${what}, planned until ${until?.toISOString() ?? 'nobody knows when'}`)
}

/** Whether name, database and addresses belong together: everything that is wrong, at once. */
function checkCell(stored: string | null, { cell, publicUrl, payUrl }: Config): Finding[] {
  if (stored === null && cell === null) return []
  const wrong = cellProblem(stored, cell)
  const name = cell ?? stored ?? ''
  const problems = [
    ...(stored !== null && wrong !== null ? [wrong] : []),
    ...addressProblems(name, { publicUrl, payUrl }),
  ]
  if (problems.length > 0) return problems.map(problem)
  return [wrong === null ? ok(`cell ${name}, its database and its addresses`) : warning(wrong)]
}

async function checkKeys(secrets: Records['secrets'], { secretKey }: Config): Promise<Finding> {
  try {
    await secrets.check()
    await secrets.checkKept()
    const { length } = secretKey.others
    if (length === 0) return ok('SECRET_KEY opens what is stored')
    return warning(`${counted(length, 'key')} in SECRET_KEY_OTHERS: see passerelle secrets status`)
  } catch (wrong) {
    return problem((wrong as Error).message)
  }
}

function checkPort({ host, port }: Config): Promise<Finding> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (wrong: NodeJS.ErrnoException) =>
      resolve(
        wrong.code === 'EADDRINUSE'
          ? warning(`port ${port} is in use (by the gateway, if it is running)`)
          : problem(`port ${port} on ${host} cannot be used: ${wrong.message}`),
      ),
    )
    probe.listen(port, host, () => probe.close(() => resolve(ok(`port ${port} is free`))))
  })
}

async function checkMail({ smtpUrl, mailFrom, mode }: Config): Promise<Finding[]> {
  if (smtpUrl === null)
    return mode === 'live' ? [warning('SMTP_URL is not set: emails are kept, not sent')] : []
  const { openSmtp } = await import('#merchants/mail/smtp.ts')
  const smtp = openSmtp({ smtpUrl, mailFrom, mode })
  try {
    await smtp.check()
    return [ok(`the mail server answers, mail comes from ${mailFrom.address}`)]
  } catch (wrong) {
    return [problem(`SMTP_URL cannot be used: ${(wrong as Error).message}`)]
  } finally {
    smtp.close()
  }
}
