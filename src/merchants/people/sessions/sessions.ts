import { createHash } from 'node:crypto'
import { after } from '#base/kit/clock.ts'
import { newId, randomText } from '#base/kit/ids.ts'
import {
  keysFor,
  openText,
  type PurposeKeys,
  readSealed,
  type SecretKey,
  sealText,
} from '#base/sealing/seal.ts'
import { recordAudit } from '#data/db/audit-log.ts'
import type { Db, DbParts } from '#data/db/db.ts'
import { onlyClient, type Person, readClientsOf } from '../store.ts'
import {
  deleteMessage,
  deleteOldSessions,
  deleteSessionOf,
  findSession,
  insertSession,
  readShown,
  type SessionRow,
  type ShownBySession,
  setConfirmed,
  setMessage,
  touchSession,
} from './store.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const idleMs = 3 * dayMs
const longestMs = 30 * dayMs
const confirmedForMs = 15 * minuteMs

/** A session that is open, with its person and the client that is shown. */
export interface Session extends Omit<SessionRow, 'message'> {
  /** What the last action has to tell, shown once; and as it is kept. */
  message: (Message & { sealed: string }) | null
}

/** What an action tells on the page that it leads to. */
export interface Message {
  text: string
  /** The path of that page; those of releases before have none, and are told on any page. */
  path?: string
  /** A secret to copy, which is never shown again. */
  secret?: string
  /** Left out: it was done. */
  tone?: 'bad'
  /** What somebody else answered, as it is. */
  answer?: string
}

/** Where a request came from. */
export interface Origin {
  address: string
  agent: string
}

interface Parts extends DbParts {
  secretKey: SecretKey
}

export const messagePurpose = 'session messages'

/** Opens, finds and confirms sessions. */
export function openSessions({ db, clock, secretKey }: Parts) {
  const sealKeys = keysFor(secretKey, messagePurpose)

  /** Begins a session; the value is for the cookie and is not kept. */
  async function begin({ person, address, agent }: Origin & { person: Person }): Promise<string> {
    const value = randomText(32)
    const now = clock.now()
    const clients = await readClientsOf(db, person.id)
    const record = { at: now, actor: person.email, action: 'session.begin' }
    await db.transaction(async (tx) => {
      await insertSession(tx, {
        hash: hashOf(value),
        id: newId(now),
        personId: person.id,
        clientId: clients[0]?.clientId ?? null,
        now,
        address,
        agent: agent.slice(0, 300),
      })
      await recordAudit(tx, { ...record, ...onlyClient(clients) })
    })
    return value
  }

  /** Ends the session of a cookie's value, if it has one. */
  function end(cookie: string): Promise<void> {
    return deleteSessionOf(db, hashOf(cookie))
  }

  /** The session of a cookie's value; undefined: it has ended or never was. */
  async function find({
    cookie,
    address,
  }: Pick<Origin, 'address'> & { cookie: string }): Promise<Session | undefined> {
    const row = await findSession(db, hashOf(cookie))
    const now = clock.now()
    if (row === undefined) return undefined
    if (after(row.lastSeenAt, idleMs) < now || after(row.createdAt, longestMs) < now)
      return undefined
    // Written once a minute, since it is for people to read.
    if (after(row.lastSeenAt, minuteMs) < now) await touchSession(db, { id: row.id, now, address })
    const { message: sealed } = row
    if (sealed === null) return { ...row, message: null }
    const message = JSON.parse(openText(sealKeys, sealed, row.id)) as Message
    return { ...row, message: { ...message, sealed } }
  }

  return {
    begin,
    end,
    find,
    /** Keeps what a page of a session shows once. */
    tell: ({ sessionId: id, message }: { sessionId: string; message: Message }) =>
      setMessage(db, id, sealText(sealKeys, JSON.stringify(message), id)),
    /** Keeps what this session was shown once for another look, as the page carried it. */
    tellAgain: async ({ sessionId: id, sealed }: { sessionId: string; sealed: string }) => {
      if (isMessage(sealKeys, sealed, id)) await setMessage(db, id, sealed)
    },
    forgetMessage: (session: Session) => forgetMessage(db, session),
    /** Whether the person has proved who they are in the last quarter of an hour. */
    isConfirmed: ({ confirmedAt }: Pick<Session, 'confirmedAt'>) =>
      after(confirmedAt, confirmedForMs) > clock.now(),
    confirm: (sessionId: string) => setConfirmed(db, sessionId, clock.now()),
    /** What the session of each cookie's value shows now, as which role; left out: it has ended. */
    shownBy: (cookies: string[]) => shownBy(db, cookies),
  }
}

async function shownBy(db: Db, values: string[]): Promise<Map<string, ShownBySession>> {
  const byHash = new Map(values.map((value) => [hashOf(value).toString('hex'), value]))
  const shown = await readShown(db, values.map(hashOf))
  return new Map(shown.map((one) => [byHash.get(one.hash.toString('hex')) ?? '', one]))
}

/** Deletes sessions that have ended. */
export function sweepSessions(db: Db, now: Date): Promise<void> {
  return deleteOldSessions(db, {
    seenBefore: after(now, -idleMs),
    createdBefore: after(now, -longestMs),
  })
}

/** Whether a text is something that was sealed for this session. */
function isMessage(keys: PurposeKeys, sealed: string, id: string): boolean {
  try {
    return readSealed(sealed) !== undefined && openText(keys, sealed, id) !== ''
  } catch {
    return false
  }
}

/** Forgets what was read with a session; what was told since then stays. */
async function forgetMessage(db: Db, { id, message }: Session): Promise<void> {
  if (message !== null) await deleteMessage(db, id, message.sealed)
}

export type Sessions = ReturnType<typeof openSessions>

function hashOf(value: string): Buffer {
  return createHash('sha256').update(value).digest()
}
