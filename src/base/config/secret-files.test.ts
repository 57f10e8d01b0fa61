import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { readConfig } from './config.ts'

const secretKey = Buffer.alloc(32, 7).toString('base64')
const live = {
  MODE: 'live',
  DATABASE_URL: 'postgresql://user:dbpass@db.example.com/passerelle?sslmode=verify-full',
  PUBLIC_URL: 'https://pay.example.com',
  SECRET_KEY: secretKey,
}

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'passerelle-secrets-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('is read without the line end', () => {
    const { DATABASE_URL, SECRET_KEY, ...rest } = live
    const config = readConfig({
      ...rest,
      DATABASE_URL_FILE: file('url', `${DATABASE_URL}\n`),
      SECRET_KEY_FILE: file('key', `${SECRET_KEY}\n`),
    })
    assert.equal(config.databaseUrl, DATABASE_URL)
    assert.deepEqual(config.secretKey.sealing, Buffer.from(SECRET_KEY, 'base64'))
  })

  it('may be empty where it may be missing, and then takes nothing away', () => {
    const empty = file('empty', '\n')
    const files = { SMTP_URL_FILE: empty, SECRET_KEY_OTHERS_FILE: empty }
    assert.deepEqual(readConfig({ ...live, ...files }), readConfig(live))
    const mail = { SMTP_URL: 'smtp://mail.example.com', MAIL_FROM: 'a@example.com' }
    assert.equal(readConfig({ ...live, ...files, ...mail }).smtpUrl, mail.SMTP_URL)
  })

  it('is refused when it is named twice, missing, empty or wrong, without its value', () => {
    const environment = {
      ...live,
      SECRET_KEY_FILE: file('key', secretKey),
      SECRET_KEY_OTHERS_FILE: join(folder, 'none'),
      DATABASE_URL: undefined,
      DATABASE_URL_FILE: file('url', ' \n'),
    }
    assert.throws(() => readConfig(environment), {
      problems: [
        `DATABASE_URL_FILE names a file that is empty: ${folder}/url.`,
        'SECRET_KEY and SECRET_KEY_FILE are both set: keep one.',
        `SECRET_KEY_OTHERS_FILE names a file that cannot be read: ${folder}/none.`,
        'MODE=live needs DATABASE_URL, for example postgresql://user:password@host/passerelle.',
      ],
    })
    const wrong = { ...live, SECRET_KEY_OTHERS_FILE: file('others', 'dG9vc2hvcnQ=') }
    assert.throws(() => readConfig(wrong), {
      problems: [
        'SECRET_KEY_OTHERS must be at least 32 bytes in base64, for example: ' +
          'openssl rand -base64 32',
      ],
    })
  })
})
