import { existsSync } from 'node:fs'
import { access, constants, mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A control group of Linux whose processes get a part of one processor together. */
export interface ProcessorShare {
  /** What comes before a command that is to run in it. */
  prefix: string[]
  close(): Promise<void>
}

const periodUs = 20_000
const root = '/sys/fs/cgroup'
const first = join(root, 'cpu')

/** Why there can be none here; undefined where there can. */
export async function whyNoProcessorShare(): Promise<string | undefined> {
  const folder = existsSync(first) ? first : root
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  )
  return process.platform === 'linux' && isWritable ? undefined : 'it needs control groups of Linux'
}

/** Makes a group with that share of one processor: version 1 of control groups, or 2. */
export async function openProcessorShare(share: number): Promise<ProcessorShare> {
  const isFirst = existsSync(first)
  const folder = join(isFirst ? first : root, `passerelle-${process.pid}`)
  await mkdir(folder)
  const quotaUs = Math.round(share * periodUs)
  if (isFirst) {
    await writeFile(join(folder, 'cpu.cfs_period_us'), String(periodUs))
    await writeFile(join(folder, 'cpu.cfs_quota_us'), String(quotaUs))
  } else await writeFile(join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`)
  return {
    prefix: ['sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    close: async () => {
      // A process that was killed leaves its group a moment later.
      for (let tries = 1; tries <= 50; tries += 1)
        try {
          await rmdir(folder)
          return
        } catch {
          await sleep(100)
        }
    },
  }
}
