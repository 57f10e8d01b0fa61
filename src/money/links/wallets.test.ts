import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { systemClock as clock } from '#base/kit/clock.ts'
import { endMaintenance, startMaintenance } from '#merchants/catalog/maintenance.ts'
import { services } from '#merchants/catalog/services.ts'
import { changeClient } from '#merchants/clients/clients.ts'
import { changeTerms } from '#merchants/clients/terms.ts'
import { pauseProvider, resumeProvider } from '#money/providers/pauses.ts'
import { linkOf, newLink, paymentsOf, untilSeen } from '#test/links.ts'
import { call, liveGateway, script } from '#test/live.ts'
import { assertMoney } from '#test/money.ts'
import { eventually } from '#test/wait.ts'

const live = await liveGateway({ pace: 20 })
const { db, url, connect, proxy, newMerchant } = live
const { checkout } = live.links
const owner = connect({ asOwner: true })
const actor = 'test'
const phone = '771234567'
const collections = services.filter(({ operation }) => operation === 'CASHOUT')

type Terms = Parameters<typeof changeTerms>[2]['change']

async function merchantWith(terms: Record<string, Terms> = {}) {
  const merchant = { url, ...(await newMerchant()) }
  const { clientId } = merchant
  for (const [serviceCode, change] of Object.entries(terms))
    await db.transaction((tx) =>
      changeTerms(tx, { clock }, { clientId, serviceCode, change, actor }),
    )
  return merchant
}

async function offered(id: string): Promise<string[]> {
  const { wallets = [] } = (await checkout.look(id)) ?? {}
  return wallets.map(({ serviceCode }) => serviceCode)
}

function tryWith(id: string, serviceCode: string, number = phone) {
  return checkout.pay(id, { serviceCode, phone: number })
}

function refused(...problems: string[]) {
  return { kind: 'refused', problems }
}

describe('the wallets offered for a link', { concurrency: true }, () => {
  it('are all of the client, each with its payer step', async () => {
    const id = await newLink(live)
    const { wallets = [] } = (await checkout.look(id)) ?? {}
    assert.deepEqual(
      wallets.map(({ serviceCode }) => serviceCode),
      collections.map(({ code }) => code),
    )
    const steps = new Map(wallets.map(({ serviceCode, step }) => [serviceCode, step]))
    assert.equal(steps.get('WALLETA_SN_CASHOUT'), 'push')
    assert.equal(steps.get('WALLETB_SN_CASHOUT'), 'redirect')
    assert.equal(steps.get('WALLETD_SN_CASHOUT'), 'otp')
    assert.deepEqual(wallets[0], {
      serviceCode: 'WALLETA_SN_CASHOUT',
      name: 'Wallet A',
      country: 'SN',
      step: 'push',
      isAvailable: true,
    })
  })

  it('are those that are enabled and accept the amount', async () => {
    const merchant = await merchantWith({
      all: { isEnabled: false },
      WALLETA_SN_CASHOUT: { isEnabled: true },
      WALLETC_SN_CASHOUT: { isEnabled: true, amountMin: 500 },
      WALLETD_SN_CASHOUT: { isEnabled: true, amountMax: 5000 },
      WALLETA_SN_CASHIN: { isEnabled: true },
    })
    // price, wallets
    const table: [number, string[]][] = [
      [100, ['WALLETA', 'WALLETD']],
      [499, ['WALLETA', 'WALLETD']],
      [500, ['WALLETA', 'WALLETC', 'WALLETD']],
      [5000, ['WALLETA', 'WALLETC', 'WALLETD']],
      [5001, ['WALLETA', 'WALLETC']],
      [1_000_000, ['WALLETA', 'WALLETC']],
    ]
    for (const [ItemPrice, wallets] of table) {
      const id = await newLink(merchant, { ItemPrice })
      const codes = wallets.map((wallet) => `${wallet}_SN_CASHOUT`)
      assert.deepEqual(await offered(id), codes, `${ItemPrice}`)
      for (const { code } of collections)
        if (!codes.includes(code)) assert.deepEqual(await tryWith(id, code), refused('service'))
    }
  })

  it('are those of the countries of the sub-merchant that the link names', async () => {
    const merchant = await merchantWith()
    const shop = async (...countries: string[]) => {
      const body = { name: 'x', commercialName: 'Chez Awa', countries }
      const answer = await call(merchant, 'POST /api/v1/sub-merchant', body)
      return String(answer.body.data.subMerchantId)
    }
    const usual = await shop('SN')
    const abroad = await shop('CI')
    const countriesOf = async (change: object) => {
      const codes = await offered(await newLink(merchant, change))
      return [...new Set(codes.map((code) => code.split('_')[1]))]
    }
    // Mali cannot be listed, so it is open to all.
    assert.deepEqual(await countriesOf({ sub_merchant_id: usual }), ['SN', 'ML'])
    assert.deepEqual(await countriesOf({ sub_merchant_id: abroad }), ['ML', 'CI'])
    // The default gives its name, but its countries do not restrict the wallets.
    assert.deepEqual(await countriesOf({}), ['SN', 'ML', 'CI', 'CM'])
    const id = await newLink(merchant, { sub_merchant_id: abroad })
    assert.equal((await checkout.look(id))?.shop, 'Chez Awa')
    assert.deepEqual(await tryWith(id, 'WALLETA_SN_CASHOUT'), refused('service'))
    assert.deepEqual(await tryWith(id, 'WALLETF_CI_CASHOUT'), { kind: 'started' })
    const [payment] = await db<{ shop: string; name: string }>`
      select sub_merchant_id as shop, payee_name as name from transactions where link_id = ${id}`
    assert.deepEqual(payment, { shop: abroad, name: 'Chez Awa' })
  })

  it('are none once the merchant account is suspended', async () => {
    const merchant = await merchantWith()
    const id = await newLink(merchant)
    const change = { merchantStatus: 'suspended' } as const
    await changeClient({ db, clock }, { id: merchant.clientId, change, actor })
    await eventually('nothing is offered', async () => (await offered(id)).length === 0)
    assert.deepEqual(await tryWith(id, 'WALLETA_SN_CASHOUT'), refused('service'))
  })
})

describe('a wallet that is closed', () => {
  const isOpen = async (id: string, code: string) =>
    (await checkout.look(id))?.wallets.find(({ serviceCode }) => serviceCode === code)?.isAvailable

  it('for maintenance is shown as unavailable, and cannot be paid with', async () => {
    const code = 'WALLETC_SN_CASHOUT'
    const id = await newLink(live)
    await startMaintenance({ db, clock }, { scope: code, reason: 'works', actor })
    await eventually('it is shown', async () => (await isOpen(id, code)) === false)
    assert.deepEqual(await tryWith(id, code), refused('unavailable'))
    assert.equal(await isOpen(id, 'WALLETA_SN_CASHOUT'), true)
    await startMaintenance({ db, clock }, { scope: 'all', reason: 'works', actor })
    const isShut = async () => (await isOpen(id, 'WALLETA_SN_CASHOUT')) === false
    await eventually('all are shown', isShut)
    assert.deepEqual(await tryWith(id, 'WALLETA_SN_CASHOUT'), refused('unavailable'))
    for (const scope of [code, 'all']) await endMaintenance({ db, clock }, { scope, actor })
    await eventually('it is open again', async () => (await isOpen(id, code)) === true)
    assert.equal((await linkOf(db, id)).attempts, 0)
  })

  it('because its provider is paused is shown so, and cannot be paid with', async () => {
    const code = 'WALLETE_ML_CASHOUT'
    const id = await newLink(live)
    const provider = { provider: 'WALLETE', country: 'ML' as const, actor }
    await pauseProvider({ db, clock }, { ...provider, reason: 'test' })
    await eventually('it is shown', async () => (await isOpen(id, code)) === false)
    assert.deepEqual(await tryWith(id, code), refused('unavailable'))
    await resumeProvider({ db, clock }, provider)
    await eventually('it is open again', async () => (await isOpen(id, code)) === true)
    assert.equal((await linkOf(db, id)).attempts, 0)
  })
})

describe('the input of a payer', { concurrency: true }, () => {
  for (const [serviceCode, number, ...problems] of [
    ['WALLETX_SN_CASHOUT', phone, 'service'],
    ['WALLETA_SN_CASHIN', phone, 'service'],
    ['OPERATOR1_SN_AIRTIME', phone, 'service'],
    ['', '', 'service', 'phone'],
    ['toString', '77123456x', 'service', 'phone'],
    ['WALLETA_SN_CASHOUT', '77123456', 'phone'],
    ['WALLETA_SN_CASHOUT', '7712345678', 'phone'],
    ['WALLETA_SN_CASHOUT', '771234567\n', 'phone'],
    ['WALLETA_SN_CASHOUT', '٧٧١٢٣٤٥٦٧', 'phone'],
  ] as const)
    it(`${serviceCode} ${JSON.stringify(number)} is refused: ${problems.join()}`, async () => {
      const id = await newLink(live)
      assert.deepEqual(await tryWith(id, serviceCode, number), refused(...problems))
      assert.deepEqual(await paymentsOf(db, id), [])
    })
})

describe('a one-time code of a link', () => {
  const codesSent = (number: string) =>
    proxy.bodies.filter((body) => body.includes(number) && body.includes('authorization_code'))
  let numbers = 778_100_000

  async function onCode(steps?: object[]) {
    numbers += 1
    const number = String(numbers)
    if (steps !== undefined) await script(live, number, steps)
    const id = await newLink(live)
    assert.deepEqual(await tryWith(id, 'WALLETD_SN_CASHOUT', number), { kind: 'started' })
    return { id, number }
  }
  const triesLeft = async (id: string) => {
    const { state } = (await checkout.look(id)) ?? {}
    return state?.kind === 'waiting' && state.step === 'otp' ? state.triesLeft : undefined
  }

  it('that is wrong is counted, and the right one is accepted', async () => {
    const { id } = await onCode()
    assert.equal(await triesLeft(id), 5)
    assert.equal(await checkout.confirm(id, '0000'), 'wrong_code')
    assert.equal(await triesLeft(id), 4)
    // A text that cannot be a code is not counted.
    for (const code of ['', '123', '123456789', '12 34', 'abcd', '１２３４'])
      assert.equal(await checkout.confirm(id, code), 'wrong_code')
    assert.equal(await triesLeft(id), 4)
    assert.equal(await checkout.confirm(id, '123456'), 'accepted')
    assert.notEqual((await checkout.look(id))?.state.kind, 'waiting')
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    await untilSeen(live, id, 'paid')
  })

  it('ends its payment after five wrong ones, and another wallet can be chosen', async () => {
    const { id } = await onCode()
    for (let times = 0; times < 5; times += 1)
      assert.equal(await checkout.confirm(id, '654321'), times < 4 ? 'wrong_code' : 'not_waiting')
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    const { state } = (await checkout.look(id)) ?? {}
    assert.equal(state?.kind === 'choose' && state.lastFailure?.cause, 'wrong_code')
    await tryWith(id, 'WALLETA_SN_CASHOUT')
    await untilSeen(live, id, 'paid')
  })

  it('is not checked after ten minutes', async () => {
    const { id } = await onCode()
    const { openId } = await linkOf(db, id)
    await owner`
      update transactions set version = version + 1,
        created_at = created_at - interval '601 seconds'
      where id = ${openId}`
    assert.equal(await triesLeft(id), 0)
    assert.equal(await checkout.confirm(id, '123456'), 'expired')
  })

  it('is not sent before the provider has the order', async () => {
    const { id, number } = await onCode([{ do: 'lose_answer' }, { do: 'delay', ms: 60_000 }])
    const seen = codesSent(number).length
    assert.equal(await checkout.confirm(id, '123456'), 'unavailable')
    assert.equal(codesSent(number).length, seen)
    const [payment] = await db<{ tries: number }>`
      select otp_tries as tries from transactions where link_id = ${id}`
    assert.equal(payment?.tries, 0)
  })

  it('is refused where none is expected', async () => {
    const id = await newLink(live)
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    await tryWith(id, 'WALLETA_SN_CASHOUT', '770000004')
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
  })

  it('whose answer was lost is not asked for again', async () => {
    const { id, number } = await onCode()
    proxy.losesAnswerTo = (request) => request.endsWith('/softpay/confirm')
    assert.equal(await checkout.confirm(id, '123456'), 'accepted')
    proxy.losesAnswerTo = () => false
    assert.equal(await checkout.confirm(id, '123456'), 'not_waiting')
    assert.equal(await checkout.changeWallet(id), 'too_late')
    await untilSeen(live, id, 'paid')
    assert.ok(codesSent(number).length <= 1)
  })
})

it('keeps ledger, transactions, links and lab consistent', () => assertMoney(live))
