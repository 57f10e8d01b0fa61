import { readJob } from './child.ts'
import type { ClientJob, ClientProgress } from './client-job.ts'
import { openJournal } from './journal.ts'
import { planOf } from './plans/plans.ts'
import { openSender } from './sender.ts'

// A program of its own: the merchants' side of an experiment. It follows a plan, writes a line to
// its journal for each request before it is sent and for each answer, and prints its progress.
// SIGTERM ends a plan with a rate early; what is on its way is still answered.

const job = await readJob<ClientJob>()
const journal = openJournal(job.journalPath)
const sender = openSender(job, journal)
const stopping = new AbortController()
process.on('SIGTERM', () => stopping.abort())

const progressOf = (isOver: boolean, outcome?: unknown): ClientProgress => ({
  sent: sender.sent(),
  acknowledged: sender.acknowledged(),
  statuses: sender.statuses,
  isOver,
  outcome,
})
const reporting = setInterval(() => console.log(JSON.stringify(progressOf(false))), 1000)
const outcome = await planOf(job.plan)(sender, stopping.signal)
clearInterval(reporting)
sender.close()
journal.close()
console.log(JSON.stringify(progressOf(true, outcome)))
process.exit(0)
