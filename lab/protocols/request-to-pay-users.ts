import { randomBytes } from 'node:crypto'
import { issueToken } from '../access-tokens.ts'
import { header, text } from '../fields.ts'
import type { OrderBook } from '../order.ts'
import { keepRecords } from '../order-journal.ts'
import type { Answer, Call, Mount, Routes } from '../router.ts'
import { refusal, unknownResource, uuid } from './request-to-pay-errors.ts'

/** A user of the interface, as the sandbox of this protocol lets clients create them. */
interface ApiUser {
  id: string
  callbackHost: string
  /** Empty until one was created. */
  key: string
}

/** API users, their keys, and the tokens for them. */
export function requestToPayUsers(book: OrderBook): Routes {
  const users = new Map<string, ApiUser>()
  const add = (user: ApiUser, mount: Mount) => void users.set(`${mount.path} ${user.id}`, user)
  const save = keepRecords<ApiUser>(book, 'request-to-pay user', add)
  const userOf = ({ mount }: Call, id: string) => users.get(`${mount.path} ${id.toLowerCase()}`)
  const keep = (mount: Mount, user: ApiUser) => {
    add(user, mount)
    save(mount, user)
  }

  function create(call: Call): Answer {
    const id = header(call, 'x-reference-id').toLowerCase()
    if (!uuid.test(id)) return refusal(400, 'INVALID_REFERENCE_ID', 'X-Reference-Id: a UUID v4')
    if (userOf(call, id) !== undefined)
      return refusal(409, 'RESOURCE_ALREADY_EXIST', 'This X-Reference-Id was used')
    keep(call.mount, { id, callbackHost: text(call.body.providerCallbackHost), key: '' })
    return { status: 201 }
  }

  function createToken(call: Call): Answer {
    const [, credentials] = /^Basic (\S+)$/.exec(header(call, 'authorization')) ?? []
    if (credentials === undefined) return refusal(401, 'UNAUTHORIZED', 'User and key are missing')
    const [id = '', key] = Buffer.from(credentials, 'base64').toString().split(':')
    const user = userOf(call, id)
    // Any user is taken, but one that was created here only with its key.
    if (user !== undefined && (user.key === '' || user.key !== key))
      return refusal(401, 'UNAUTHORIZED', 'This is not the key of this user')
    const token = issueToken(call.mount.connector)
    return {
      status: 200,
      body: { access_token: token, token_type: 'access_token', expires_in: 3600 },
    }
  }

  return {
    'POST /v1_0/apiuser': guarded(create),
    'GET /v1_0/apiuser/:id': guarded((call) => {
      const user = userOf(call, call.params[0] ?? '')
      if (user === undefined) return unknownResource()
      const body = { providerCallbackHost: user.callbackHost, targetEnvironment: 'sandbox' }
      return { status: 200, body }
    }),
    'POST /v1_0/apiuser/:id/apikey': guarded((call) => {
      const user = userOf(call, call.params[0] ?? '')
      if (user === undefined) return unknownResource()
      const key = randomBytes(16).toString('hex')
      keep(call.mount, { ...user, key })
      return { status: 201, body: { apiKey: key } }
    }),
    'POST /collection/token': guarded(createToken),
    'POST /disbursement/token': guarded(createToken),
  }
}

function guarded(handle: (call: Call) => Answer): (call: Call) => Answer {
  return (call) =>
    header(call, 'ocp-apim-subscription-key') === ''
      ? refusal(401, 'UNAUTHORIZED', 'The subscription key is missing')
      : handle(call)
}
