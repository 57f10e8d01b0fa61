import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { services } from '#merchants/catalog/services.ts'
import { addPerson } from '#test/dashboard.ts'
import { testDatabase } from '#test/database.ts'
import { pngOf, scriptedSvg } from '#test/pictures.ts'
import { assertRefused, commandLine, dataFolder, startGateway } from '#test/program.ts'
import { eventually } from '#test/wait.ts'

const balance = '/api/v1/api-services/balance'
const offer = '/api/v1/api-services/services'
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

// One gateway runs throughout, and must see what each command changes. The tests build on each
// other, in this order.
const { url, db } = await testDatabase()
const environment = { DATABASE_URL: url, DATA_DIR: await dataFolder(), APPROVAL_ABOVE: 'off' }
const by = await addPerson({ db }, { operatorRole: 'operator' })
const passerelle = commandLine(environment, undefined, by)
const gateway = await startGateway(environment)
let shop: { id: number; key: string; keyId: string }

const statusOf = async (key: string, path = balance) => (await gateway.get(path, key)).status

describe('a new client', () => {
  it('is created with a webhook secret of its own, and its name only once', async () => {
    const created = await passerelle.json(
      'client create "Chez Awa" --callback-url https://awa.sn/x',
    )
    assert.deepEqual(Object.keys(created), ['id', 'name', 'webhookSecret'])
    assert.match(created.webhookSecret, /^whsec_[\w+/=-]{32,}$/)
    assertRefused(
      await passerelle.run('client create "Chez Awa"'),
      /^passerelle: There is already a client named Chez Awa$/,
    )
    shop = { id: created.id, key: '', keyId: '' }
  })

  it('gets a key, services and money, which the running gateway sees', async () => {
    const issued = await passerelle.json('key issue "Chez Awa" --label till --allow 127.0.0.0/8')
    assert.match(issued.secret, /^sk_sandbox_[\w-]{43}$/)
    assert.match(issued.id, uuid)
    shop = { ...shop, key: issued.secret, keyId: issued.id }
    assert.deepEqual((await gateway.get(offer, shop.key)).body.services, [])
    assertRefused(
      await passerelle.run(`client enable ${shop.id} WALLETA_SN_CASHOUT`),
      /^passerelle: The fee is 0 for WALLETA_SN_CASHOUT: set one .* or mean it with --free$/,
    )
    await passerelle.text(`client enable ${shop.id} OPERATOR1_SN_AIRTIME`)
    assert.match(await passerelle.text(`client enable ${shop.id} all --free`), /: enabled\.\n$/)
    const { body } = await gateway.get(offer, shop.key)
    assert.equal((body.services as object[]).length, services.length)
    assert.equal(
      await passerelle.text('client fund "Chez Awa" 1000000 --ref bank-1'),
      'Done. Chez Awa can spend 1 000 000 F CFA now.\n',
    )
    const { body: money } = await gateway.get(balance, shop.key)
    assert.equal((money.balance as { balance: number }).balance, 1_000_000)
  })

  it('is shown with its balance, services and fees, as text and as JSON', async () => {
    const text = await passerelle.text('client show "Chez Awa"')
    assert.match(text, /^\d+ Chez Awa \(active, standard, 100 requests a minute\)\n/)
    assert.match(text, /\nmail to nobody in French\n/)
    assert.match(text, /\navailable 1 000 000 F CFA, held 0 F CFA\n/)
    assert.match(text, /\nWALLETA_SN_CASHOUT +enabled +0 +0 +0\n/)
    assert.match(text, /\nOPERATOR1_SN_AIRTIME +enabled +0 +100 +0\n/)
    const shown = await passerelle.json(`client show ${shop.id}`)
    const { id, name, tier, available, held, callbackUrl } = shown
    assert.deepEqual([id, name, tier], [shop.id, 'Chez Awa', 'standard'])
    assert.deepEqual([available, held, callbackUrl], [1_000_000, 0, 'https://awa.sn/x'])
    assert.equal(shown.services.length, services.length)
  })
})

describe('passerelle client', () => {
  const termsOf = async (code: string) => {
    const { services } = await passerelle.json(`client show ${shop.id}`)
    return services.find((one: { serviceCode: string }) => one.serviceCode === code)
  }

  it('disable and enable switch one service off and on', async () => {
    await passerelle.text(`client disable ${shop.id} ELEC_SN_BILL`)
    const { body } = await gateway.get(offer, shop.key)
    assert.equal((body.services as object[]).length, services.length - 1)
    await passerelle.text(`client enable ${shop.id} ELEC_SN_BILL --free`)
  })

  it('set-fee and set-limits change one service and no other', async () => {
    const setFee = `client set-fee ${shop.id} WALLETA_SN_CASHOUT --fixed 25 --bps 150 --max 5000`
    const { services: changed } = await passerelle.json(setFee)
    assert.equal(changed.length, 1)
    await passerelle.text(`client set-limits ${shop.id} WALLETA_SN_CASHOUT --min 500`)
    assert.deepEqual(await termsOf('WALLETA_SN_CASHOUT'), {
      serviceCode: 'WALLETA_SN_CASHOUT',
      isEnabled: true,
      fixed: 25,
      basisPoints: 150,
      min: 0,
      max: 5000,
      amountMin: 500,
      amountMax: null,
    })
    assert.equal((await termsOf('WALLETB_SN_CASHOUT')).basisPoints, 0)
  })

  it('set gives payment pages a colour and a logo, both or neither', async () => {
    const folder = await dataFolder()
    await writeFile(join(folder, 'logo.txt'), pngOf(120, 40))
    await writeFile(join(folder, 'logo.png'), scriptedSvg)
    const set = `client set ${shop.id} --colour "#7B1FA2" --logo`
    assertRefused(
      await passerelle.run(`${set} ${folder}/logo.png`),
      /A logo in SVG is not accepted/,
    )
    assertRefused(
      await passerelle.run(`${set} ${folder}/none.png`),
      /The logo cannot be read: ENOENT/,
    )
    assertRefused(
      await passerelle.run(`client set ${shop.id} --colour red --logo ${folder}/logo.txt`),
      /red is not a colour: write # and six of/,
    )
    const plain = /\npayment pages in our colour with no logo\n/
    assert.match(await passerelle.text(`client show ${shop.id}`), plain)
    await passerelle.text(`${set} ${folder}/logo.txt`)
    assert.match(
      await passerelle.text(`client show ${shop.id}`),
      /\npayment pages in #7b1fa2 with a logo of 120 × 40 pixels\n/,
    )
    await passerelle.text(`client set ${shop.id} --colour "" --no-logo`)
    assert.match(await passerelle.text(`client show ${shop.id}`), plain)
  })

  it('set-tier changes the rate limit', async () => {
    const limit = async () => {
      const answer = await fetch(`${gateway.url}${balance}`, {
        headers: { authorization: `Bearer ${shop.key}` },
      })
      return answer.headers.get('ratelimit-limit')
    }
    assert.equal(await limit(), '100')
    await passerelle.text(`client set-tier ${shop.id} enterprise --rate 4000`)
    await eventually('the running gateway sees it', async () => (await limit()) === '4000')
    const changed = await passerelle.json(`client set-tier ${shop.id} standard`)
    assert.equal(changed.ratePerMinute, 100)
    await eventually('the running gateway sees it', async () => (await limit()) === '100')
  })

  it('a key may have a rate limit of its own, which is enforced', async () => {
    const { secret } = await passerelle.json(`key issue ${shop.id} --rate 2`)
    const calls = [await statusOf(secret), await statusOf(secret), await statusOf(secret)]
    assert.deepEqual(calls, [200, 200, 429])
  })

  it('set changes and removes the mail address', async () => {
    const setEmail = `client set ${shop.id} --email awa@shop.test --language en`
    assert.match(await passerelle.text(setEmail), /, mail to awa@shop\.test in English\.\n$/)
    const { email, language } = await passerelle.json(`client set ${shop.id} --email ""`)
    assert.deepEqual([email, language], [null, 'en'])
    const created = 'client create "Chez Bineta" --email b@shop.test --language en'
    const { id } = await passerelle.json(created)
    const shown = await passerelle.text(`client show ${id}`)
    assert.match(shown, /\nmail to b@shop\.test in English\n/)
  })

  it('set changes address and tax number, and removes them', async () => {
    const set = await passerelle.json(`client set ${shop.id} --address Dakar --tax-number 005`)
    assert.deepEqual([set.address, set.taxNumber], ['Dakar', '005'])
    const none = await passerelle.json(`client set ${shop.id} --address "" --tax-number ""`)
    assert.deepEqual([none.address, none.taxNumber], [null, null])
    const long = await passerelle.run(`client set ${shop.id} --address ${'x'.repeat(121)}`)
    assertRefused(long, /An address is one line of at most 120 characters/)
  })

  it('set changes the name and the webhook address, and removes the latter', async () => {
    const { id } = await passerelle.json('client create "Chez Coumba"')
    const renamed = await passerelle.json(
      `client set ${id} --name "Chez Coumba 2" --callback-url https://coumba.sn/hook`,
    )
    assert.deepEqual(
      [renamed.name, renamed.callbackUrl],
      ['Chez Coumba 2', 'https://coumba.sn/hook'],
    )
    const { callbackUrl } = await passerelle.json('client set "Chez Coumba 2" --callback-url ""')
    assert.equal(callbackUrl, null)
    assertRefused(
      await passerelle.run(`client set ${id} --name "Chez Awa"`),
      /There is already a client named Chez Awa$/,
    )
    assertRefused(await passerelle.run(`client set ${id} --name " "`), /A client needs a name$/)
  })

  it('list shows every client with its money', async () => {
    const { clients } = await passerelle.json('client list')
    const awa = clients.find((one: { id: number }) => one.id === shop.id)
    assert.deepEqual([awa.name, awa.available, awa.held], ['Chez Awa', 1_000_000, 0])
    const text = await passerelle.text('client list')
    assert.match(text, /^Client +Name +State +Tier +Available +Held +Created\n/)
    assert.match(text, /\n\d+ +Chez Awa +active +standard +1 000 000 F CFA +0 F CFA +2/)
    assert.match(text, /\n\d+ +Chez Coumba 2 +active/)
  })

  it('set-status suspends a merchant and makes it active again', async () => {
    const suspended = await passerelle.json(`client set-status ${shop.id} suspended`)
    assert.equal(suspended.merchantStatus, 'suspended')
    assert.match(await passerelle.text(`client set-status ${shop.id} active`), /: active, standard/)
  })
})

describe('passerelle key', () => {
  it('rotate gives a new secret, and the old one works for the overlap', async () => {
    const rotated = await passerelle.json(`key rotate ${shop.keyId} --overlap 1h`)
    assert.equal(rotated.id, shop.keyId)
    assert.deepEqual([await statusOf(shop.key), await statusOf(rotated.secret)], [200, 200])
    const again = await passerelle.json(`key rotate ${shop.keyId} --overlap 0s`)
    await eventually(
      'the running gateway sees it',
      async () => (await statusOf(rotated.secret)) === 401,
    )
    await eventually('the running gateway sees it', async () => (await statusOf(shop.key)) === 401)
    assert.equal(await statusOf(again.secret), 200)
    shop.key = again.secret
  })

  it('issue can limit what a key may do, its scope and addresses; list shows it', async () => {
    const { secret } = await passerelle.json(
      `key issue ${shop.id} --label far --rights read --scope client --allow 10.0.0.0/8 192.0.2.7`,
    )
    assert.equal(await statusOf(secret), 403)
    const { keys } = await passerelle.json(`key list ${shop.id}`)
    const far = keys.find((one: { label: string }) => one.label === 'far')
    assert.deepEqual(far.rights, ['read'])
    assert.deepEqual(far.allowedAddresses, ['10.0.0.0/8', '192.0.2.7/32'])
    const text = await passerelle.text(`key list ${shop.id}`)
    assert.match(text, /far +sk_sandbox_…\S{4} +read +client +10\.0\.0\.0\/8 192\.0\.2\.7\/32 +as/)
    assert.ok(!text.includes(secret))
    assert.ok((await passerelle.json('key list')).keys.length > keys.length)
  })

  it('revoke ends a key in the running gateway', async () => {
    const { id, secret } = await passerelle.json(`key issue ${shop.id} --label old`)
    assert.equal(await statusOf(secret), 200)
    const revoked = await passerelle.json(`key revoke ${id}`)
    assert.deepEqual(revoked, { id, revoked: true })
    await eventually('the running gateway sees it', async () => (await statusOf(secret)) === 401)
    assertRefused(await passerelle.run(`key revoke ${id}`), /The key \S+ is revoked$/)
    assertRefused(await passerelle.run(`key rotate ${id}`), /The key \S+ is revoked$/)
    assert.match(await passerelle.text(`key list ${shop.id}`), /old .* revoked \d{4}-/)
  })
})

describe('passerelle maintenance', () => {
  it('closes the interface of the running gateway, and opens it again', async () => {
    assert.equal(await passerelle.text('maintenance on --reason "moving house"'), 'Closed: all.\n')
    await eventually('the running gateway sees it', async () => (await statusOf(shop.key)) === 403)
    assert.match(await passerelle.text('maintenance status'), /\nall +\d{4}-\S+ +moving house\n$/)
    const opened = await passerelle.json('maintenance off')
    assert.deepEqual(opened, { scope: 'all', isClosed: false })
    await eventually('the running gateway sees it', async () => (await statusOf(shop.key)) === 200)
    assert.equal(await passerelle.text('maintenance status'), 'Everything is open.\n')
    assertRefused(await passerelle.run('maintenance off'), /all is not in maintenance$/)
  })

  it('closes one service and leaves the rest open', async () => {
    const readServices = async () => {
      const { status, body } = await gateway.get(offer, shop.key)
      assert.equal(status, 200)
      return JSON.stringify(body)
    }
    const before = await readServices()
    await passerelle.text('maintenance on WALLETA_SN_CASHOUT')
    await eventually('the running gateway sees it', async () => (await readServices()) !== before)
    const { closures } = await passerelle.json('maintenance status')
    assert.deepEqual(
      closures.map((one: { scope: string; reason: string }) => [one.scope, one.reason]),
      [['WALLETA_SN_CASHOUT', 'not given']],
    )
    await passerelle.text('maintenance off WALLETA_SN_CASHOUT')
    await eventually('the running gateway sees it', async () => (await readServices()) === before)
  })
})

describe('an impossible order is refused in one sentence', { concurrency: 3 }, () => {
  // arguments, sentence
  const cases: [() => string, RegExp][] = [
    [() => 'client show Nobody', /^passerelle: There is no client Nobody$/],
    [() => 'client show 999999', /^passerelle: There is no client 999999$/],
    [() => 'client create " "', /A client needs a name/],
    [
      () => 'client create B --tier enterprise',
      /The enterprise tier needs its requests per minute/,
    ],
    [() => 'client create B --rate 500', /Only the enterprise tier has a limit of its own/],
    [() => 'client enable Nobody all', /There is no client Nobody/],
    [() => `client enable ${shop.id} WALLETZ_SN_CASHOUT`, /There is no service WALLETZ_SN_CASHOUT/],
    [() => `client set-fee ${shop.id} all --bps 10001`, /more than 10000 basis points/],
    [
      () => `client set-fee ${shop.id} all --bps 1 --min 9 --max 8`,
      /highest fee must not be below/,
    ],
    [() => `client set-limits ${shop.id} all --min 9 --max 8`, /highest amount must not be below/],
    [() => `client set-tier ${shop.id} enterprise`, /The enterprise tier needs its requests/],
    [() => `client fund ${shop.id} 5 --ref bank-1`, /The reference bank-1 was used before/],
    [() => 'client fund Nobody 5 --ref bank-2', /There is no client Nobody/],
    [() => `client withdraw ${shop.id} 1000001 --ref out-1`, /Insufficient balance/],
    [() => `client set ${shop.id} --email awa`, /awa is not an email address/],
    [() => 'client create B --email b@shop', /b@shop is not an email address/],
    [() => 'key issue Nobody', /There is no client Nobody/],
    [() => `key issue ${shop.id} --allow nowhere`, /nowhere is not an address or network/],
    [() => 'key list Nobody', /There is no client Nobody/],
    [() => 'key rotate my-key', /There is no key my-key/],
    [() => 'key revoke 01a1dd36-eabf-7012-88f3-422b744f1304', /There is no key 01a1dd36/],
    [() => 'maintenance on WALLETZ_SN_CASHOUT', /There is no service WALLETZ_SN_CASHOUT/],
    [() => 'maintenance off ELEC_SN_BILL', /ELEC_SN_BILL is not in maintenance/],
  ]
  for (const [args, sentence] of cases)
    it(`refuses with ${String(sentence)}`, async () =>
      assertRefused(await passerelle.run(args()), sentence))

  it('refuses with a stable code under --json', async () => {
    const withdraw = `client withdraw ${shop.id} 1000001 --ref out-2 --json`
    const { code, stdout, stderr } = await passerelle.run(withdraw)
    assert.deepEqual({ code, stdout }, { code: 1, stdout: '' })
    assert.deepEqual(JSON.parse(stderr), {
      success: false,
      code: 'INSUFFICIENT_FUNDS',
      message: ['Insufficient balance'],
    })
  })
})

describe('after these commands', () => {
  it('withdraw lowers the balance, and refused withdrawals have left no trace', async () => {
    const paid = await passerelle.json(`client withdraw ${shop.id} 400000 --ref out-1`)
    assert.deepEqual(paid, { clientId: shop.id, amount: -400_000, available: 600_000 })
    assert.equal((await passerelle.json('verify')).breaks.length, 0)
  })

  it('the audit log has the account and the action of each command', async () => {
    const rows = await db<{ actor: string; action: string }>`
      select distinct actor, action from audit_log where actor like 'cli:%'`
    assert.deepEqual([...new Set(rows.map(({ actor }) => actor))], [`cli:${userInfo().username}`])
    const actions = new Set(rows.map(({ action }) => action))
    for (const action of ['client.create', 'client.terms', 'client.change', 'key.issue'])
      assert.ok(actions.has(action), action)
    for (const action of ['key.rotate', 'key.revoke']) assert.ok(actions.has(action), action)
    for (const action of ['maintenance.on', 'maintenance.off']) assert.ok(actions.has(action))
    const named = await db<{ actor: string }>`
      select distinct actor from audit_log
      where action in ('client.fund', 'client.withdraw') and actor <> 'demo data'`
    assert.deepEqual(named, [{ actor: `${by} via cli:${userInfo().username}` }])
  })

  it('audit shows them, newest first, of all clients or of one', async () => {
    const { records } = await passerelle.json(`audit --client ${shop.id} --limit 2`)
    assert.deepEqual(
      records.map((one: { action: string; clientId: number }) => [one.action, one.clientId]),
      [
        ['client.withdraw', shop.id],
        ['key.revoke', shop.id],
      ],
    )
    const { records: earlier } = await passerelle.json(
      `audit --before ${records[1].id} --limit 500`,
    )
    assert.ok(earlier.every((one: { id: number }) => one.id < records[1].id))
    assert.ok(earlier.some((one: { clientId: number }) => one.clientId !== shop.id))
    const text = await passerelle.text('audit')
    assert.match(text, /cli:\S+ +\S+ +client\.withdraw +\d+ +\{.*out-1/)
    assert.match(text, /\n\d+ records in the chain, \d+ to be added, head [0-9a-f]{64}\n$/)
  })

  it('the gateway exits with 0', async () => assert.equal((await gateway.stop()).code, 0))
})
