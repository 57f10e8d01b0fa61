import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, succeeds } from './command.ts'

/** A file system of its own in a file, which can be full and can lose power. */
export interface Volume {
  /** Where it is mounted. */
  folder: string
  /**
   * From now on nothing is written to the device, and what was not flushed is forgotten: the ext4
   * driver is told to shut down without its journal (EXT4_IOC_SHUTDOWN, NOLOGFLUSH).
   */
  cutPower(): Promise<void>
  /** Mounts what the device has, as after a power cut. Nobody may use the folder. */
  restorePower(): Promise<void>
  close(): Promise<void>
}

// perl, because Node has no ioctl: 0x8004587d is EXT4_IOC_SHUTDOWN, 2 is NOLOGFLUSH.
const shutDown = `
  open(my $folder, '<', $ARGV[0]) or die $!;
  my $flags = pack('L', 2);
  ioctl($folder, 0x8004587d, $flags) or die $!;`

export async function openVolume(bytes: number): Promise<Volume> {
  const root = await mkdtemp(join(tmpdir(), 'passerelle-volume-'))
  await chmod(root, 0o711)
  const [image, folder] = [join(root, 'image'), join(root, 'mounted')]
  await run('truncate', '-s', String(bytes), image)
  await run('mkfs.ext4', '-q', '-F', image)
  await run('mkdir', folder)
  const mount = () => run('mount', '-o', 'loop', image, folder)
  await mount()
  await chmod(folder, 0o711)
  return {
    folder,
    cutPower: async () => void (await run('perl', '-e', shutDown, folder)),
    restorePower: async () => {
      // The sessions of a killed server take a moment to end.
      for (let tries = 0; !(await succeeds('umount', folder)); tries += 1) {
        if (tries > 200) throw new Error(`${folder} is still in use`)
        await sleep(50)
      }
      await mount()
    },
    close: async () => {
      await run('umount', folder).catch(() => {})
      await rm(root, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Why volumes cannot be used here; undefined if they can. */
export async function whyNoVolume(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'mounting a file system needs root'
  for (const command of ['mkfs.ext4', 'mount', 'perl'])
    if (!(await succeeds('sh', '-c', `command -v ${command}`))) return `${command} is missing`
  if (!(await succeeds('test', '-e', '/dev/loop-control'))) return 'there are no loop devices'
  return undefined
}
