import type { Db } from '../db/db.ts'

/** A client that has left this cell, and what it handed out here that is still in use. */
export interface MovedAway {
  clientId: number
  peerUrl: string
  /** SHA-256 of the secrets of its keys, in hex. */
  keys: string[]
  links: string[]
}

/** Every client that has moved away from here. */
export function readMovedAway(db: Db): Promise<MovedAway[]> {
  return db<MovedAway>`
    select m.client_id as "clientId", m.peer_url as "peerUrl",
      array(select encode(s.hash, 'hex') from api_key_secrets s
        where s.client_id = m.client_id
          and (s.expires_at is null or s.expires_at > clock_timestamp())) as keys,
      array(select l.id::text from links l where l.client_id = m.client_id) as links
    from client_moves m where m.direction = 'out' and m.state = 'moved'
    order by m.client_id`
}
