import { object } from './fields.ts'
import type { Body } from './router.ts'
import {
  newKey,
  orderStateOf,
  type ProtocolClient,
  requestToken,
  type TestLab,
  until,
} from './test-lab.ts'

const sn = '/gsma/WALLETA/SN'
const ci = '/request-to-pay/WALLETF/CI'
const otp = '/otp-confirm/WALLETD/SN'
const shop = '/checkout-session/WALLETB/SN'
const airtime = '/top-up/OPERATOR1/SN'
const key = { authorization: 'Bearer key' }
const client = { client_id: 'a', client_secret: 'b', grant_type: 'client_credentials' }

function gsma(name: string, type: string, party: string): ProtocolClient {
  return {
    name: `gsma ${name}`,
    acceptedStatus: 202,
    hasCallback: true,
    order: (lab, phone, id) =>
      lab.send(
        `POST ${sn}/transactions/type/${type}`,
        {
          amount: '500',
          currency: 'XOF',
          [party]: [{ key: 'msisdn', value: `+221${phone}` }],
          requestingOrganisationTransactionReference: id,
        },
        { 'x-correlationid': id, 'x-callback-url': lab.inbox(id) },
      ),
    query: async (lab, id) => {
      const { body } = await lab.send(`GET ${sn}/responses/${id}`)
      const transaction = await lab.send(`GET ${sn}${String(body.link)}`)
      return orderStateOf(transaction.body.transactionStatus, transaction.body.amount)
    },
  }
}

function requestToPay(name: string, path: string, party: string): ProtocolClient {
  const token = (lab: TestLab) => requestToken(lab, `${ci}/${path.split('/')[0]}/token/`)
  return {
    name: `request-to-pay ${name}`,
    acceptedStatus: 202,
    hasCallback: true,
    order: async (lab, phone, id) =>
      lab.send(
        `POST ${ci}/${path}`,
        {
          amount: '500',
          currency: 'XOF',
          externalId: id,
          [party]: { partyIdType: 'MSISDN', partyId: `2250${phone}` },
        },
        { ...(await token(lab)), 'x-reference-id': id, 'x-callback-url': lab.inbox(id) },
      ),
    query: async (lab, id) => {
      const { body } = await lab.send(`GET ${ci}/${path}/${id}`, undefined, await token(lab))
      return orderStateOf(body.status, body.amount)
    },
  }
}

const invoices = new Map<string, string>()

const otpCollect: ProtocolClient = {
  name: 'otp-confirm collect',
  acceptedStatus: 200,
  hasCallback: true,
  order: async (lab, phone, id) => {
    const token = invoices.get(id) ?? (await createInvoice(lab, id))
    invoices.set(id, token)
    const order = { phone_number: phone, invoice_token: token }
    const answer = await lab.send(`POST ${otp}/softpay/wallet`, order)
    const { TransactionID: transaction_id } = object(answer.body.data)
    if (answer.status === 200) {
      const code = { authorization_code: '123456', phone_number: phone, transaction_id }
      await lab.send(`POST ${otp}/softpay/confirm`, code)
    }
    return answer
  },
  query: async (lab, id) => {
    const { body } = await lab.send(`GET ${otp}/checkout-invoice/confirm/${invoices.get(id)}`)
    return orderStateOf(body.status, object(body.invoice).total_amount)
  },
}

async function createInvoice(lab: TestLab, id: string): Promise<string> {
  const { body } = await lab.send(`POST ${otp}/checkout-invoice/create`, {
    invoice: { total_amount: 500, description: 'Test' },
    store: { name: 'Boutique' },
    actions: { callback_url: lab.inbox(id) },
    custom_data: { reference: id },
  })
  return String(body.token)
}

const otpDisburse: ProtocolClient = {
  name: 'otp-confirm disburse',
  acceptedStatus: 200,
  hasCallback: true,
  order: async (lab, phone, id) => {
    if (!invoices.has(id)) {
      const asked = { account_alias: phone, amount: 500, callback_url: lab.inbox(id) }
      const { body } = await lab.send(`POST ${otp}/disburse/get-invoice`, asked)
      invoices.set(id, String(body.disburse_token))
    }
    const order = { disburse_invoice: invoices.get(id), disburse_id: id }
    return lab.send(`POST ${otp}/disburse/submit-invoice`, order)
  },
  query: async (lab, id) => {
    const asked = { disburse_invoice: invoices.get(id) }
    const { body } = await lab.send(`POST ${otp}/disburse/check-status`, asked)
    return orderStateOf(body.status, body.amount)
  },
}

/** Waits until so many ordinary orders, of about a second each, have succeeded one by one. */
export async function letTimePass(lab: TestLab, seconds = 1): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 1) {
    const id = newKey()
    await otpDisburse.order(lab, '771234567', id)
    await until(
      () => otpDisburse.query(lab, id),
      ({ outcome }) => outcome === 'succeeded',
    )
  }
}

const checkout: ProtocolClient = {
  name: 'checkout-session collect',
  acceptedStatus: 200,
  hasCallback: true,
  order: (lab, phone, id) =>
    lab.send(
      `POST ${shop}/v1/checkout/sessions`,
      {
        amount: '500',
        currency: 'XOF',
        client_reference: id,
        restrict_payer_mobile: `+221${phone}`,
        success_url: 'https://example.com/yes',
        error_url: 'https://example.com/no',
      },
      key,
    ),
  query: async (lab, id) => {
    const path = `${shop}/v1/checkout/sessions/search?client_reference=${id}`
    const found = await firstOf(lab, path, 'result', key)
    return orderStateOf(found.payment_status, found.amount)
  },
}

const payout: ProtocolClient = {
  name: 'checkout-session disburse',
  acceptedStatus: 200,
  hasCallback: true,
  order: (lab, phone, id) =>
    lab.send(
      `POST ${shop}/v1/payout`,
      { currency: 'XOF', receive_amount: '500', mobile: `+221${phone}`, client_reference: id },
      { ...key, 'idempotency-key': id },
    ),
  query: async (lab, id) => {
    const path = `${shop}/v1/payouts/search?client_reference=${id}`
    const found = await firstOf(lab, path, 'result', key)
    return orderStateOf(found.status, found.receive_amount)
  },
}

const topUp: ProtocolClient = {
  name: 'top-up airtime',
  acceptedStatus: 200,
  hasCallback: false,
  order: async (lab, phone, id) =>
    lab.send(
      `POST ${airtime}/topups-async`,
      {
        operatorId: 1,
        amount: 500,
        useLocalAmount: true,
        customIdentifier: id,
        recipientPhone: { countryCode: 'SN', number: `221${phone}` },
      },
      await requestToken(lab, `${airtime}/oauth/token`, client),
    ),
  query: async (lab, id) => {
    const path = `${airtime}/topups/reports/transactions?customIdentifier=${id}`
    const token = await requestToken(lab, `${airtime}/oauth/token`, client)
    const found = await firstOf(lab, path, 'content', token)
    return orderStateOf(found.status, found.requestedAmount)
  },
}

async function firstOf(
  lab: TestLab,
  path: string,
  list: string,
  headers: Record<string, string>,
): Promise<Body> {
  const { body } = await lab.send(`GET ${path}`, undefined, headers)
  const [first] = (body[list] ?? []) as Body[]
  return first ?? {}
}

/** A client for every protocol and direction. */
export const protocolClients: ProtocolClient[] = [
  gsma('collect', 'merchantpay', 'debitParty'),
  gsma('disburse', 'disbursement', 'creditParty'),
  requestToPay('collect', 'collection/v1_0/requesttopay', 'payer'),
  requestToPay('disburse', 'disbursement/v1_0/transfer', 'payee'),
  otpCollect,
  otpDisburse,
  checkout,
  payout,
  topUp,
]
