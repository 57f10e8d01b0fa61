import assert from 'node:assert/strict'
import { type SignedIn, testPassword, tokenIn } from './dashboard.ts'
import { eventually } from './wait.ts'

const root = '/dashboard/ops/recon'

/** Sends a file with the form of statements; with the token of another page, if given. */
export async function upload(
  person: SignedIn,
  { file, name = 'day.csv', provider = 'WALLETA_SN', token, ...more }: Record<string, string>,
) {
  const form = new FormData()
  form.set('token', token ?? tokenIn((await person.get(`${root}/import`)).text))
  form.set('provider', provider)
  for (const [field, value] of Object.entries(more)) form.set(field, value)
  if (file !== undefined) form.set('file', new File([file], name))
  const headers = { cookie: person.cookie }
  const init = { method: 'POST', body: form, headers, redirect: 'manual' } as const
  const answer = await fetch(`${person.url}${root}/import`, init)
  const { status } = answer
  return { status, location: answer.headers.get('location') ?? '', text: await answer.text() }
}

/** What an import asks for each time. */
export const confirmed = { 'confirm-password': testPassword }

/** Imports a file by its forms; returns where its result is. */
export async function imported(
  person: SignedIn,
  fields: Record<string, string>,
  password: string = testPassword,
): Promise<string> {
  const { location, text } = await upload(person, fields)
  assert.match(location, /import\/[0-9a-f-]{36}$/, text)
  const sent = await person.post(location, { sure: 'yes', 'confirm-password': password })
  assert.equal(sent.location, location)
  return eventually('it is imported', async () => {
    const { text: page } = await person.get(location)
    return /href="(\/dashboard\/ops\/recon\/statements\/[0-9a-f-]+)"/.exec(page)?.[1]
  })
}
