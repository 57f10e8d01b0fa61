import { parseArgs } from 'node:util'

export const usage = `npm run chaos -- [EXPERIMENT…] [--seed N] [--share X] [--minutes M]
                 [--rate R] [--only EVENT] [--list] [--keep]

Runs the experiments named, or all of them, one after the other: each against processes of its own,
which are killed, frozen or cut off while a load client pays. Then a judge compares the journals of
client, providers and receivers with the database. Ends with 1 if anything is broken.

  --seed N      which payments and faults: the same for the same number (1)
  --share X     that share of the full size, such as 0.1 or 1; left out: the short size
  --minutes M   how long experiments with a steady load last, instead of by their size
  --rate R      payments a second, in kills, faults and deliveries
  --only EVENT  of failover: nothing but this event
  --list        what there is, what it proves, and its full size
  --keep        keeps the folder with journals and logs, also of a run without a break`

export interface Options {
  names: string[]
  seed: number
  share: number | undefined
  minutes: number | undefined
  rate: number | undefined
  only: string | undefined
  isList: boolean
  isKept: boolean
}

/** Reads the arguments; throws a sentence for each that is wrong. */
export function readOptions(args: string[], known: string[]): Options {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      share: { type: 'string' },
      minutes: { type: 'string' },
      rate: { type: 'string' },
      only: { type: 'string' },
      list: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.filter((name) => !known.includes(name))
  if (unknown.length > 0)
    throw new Error(`There is no experiment ${unknown.join(', ')}: --list shows them.`)
  return {
    names: positionals,
    seed: numberOf('seed', values.seed, 0, 2 ** 31) ?? 1,
    share: numberOf('share', values.share, 0.0001, 1),
    minutes: numberOf('minutes', values.minutes, 0.05, 1440),
    rate: numberOf('rate', values.rate, 1, 10_000),
    only: values.only,
    isList: values.list,
    isKept: values.keep,
  }
}

function numberOf(name: string, text: string | undefined, least: number, most: number) {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value >= least && value <= most) return value
  throw new Error(`--${name} must be a number from ${least} to ${most}, not "${text}".`)
}
