import { openReplication } from './replication.ts'
import { dropSlot, findSlot } from './source-store.ts'

/** Ends the archiving of a server: it no longer keeps its log for us. True: there was a slot. */
export async function endArchiving(url: string): Promise<boolean> {
  const session = await openReplication(url, 'passerelle-archive')
  try {
    if ((await findSlot(session)) === undefined) return false
    await dropSlot(session)
    return true
  } finally {
    await session.close()
  }
}
