import assert from 'node:assert/strict'
import { type Service, services } from '#merchants/catalog/services.ts'
import type { Attempt, Operation } from '#money/providers/contract.ts'
import type { Call, Reply } from '#money/providers/http-client.ts'
import { protocolNamed } from '#money/providers/protocols.ts'
import { newAttempt } from './attempt.ts'

/** A provider as a function from a request to its answer. */
export type Answers = (call: Call) => [status: number, body: object]

export function connectorOf(name: string, answers: Answers) {
  const send = async (call: Call): Promise<Reply> => {
    const [status, body] = /token/.test(call.path)
      ? [200, { access_token: 'token', expires_in: 3600 }]
      : answers(call)
    return { kind: 'answered', status, headers: {}, body: JSON.stringify(body) }
  }
  const protocol = protocolNamed(name) ?? assert.fail(name)
  const credentials = Object.fromEntries(protocol.credentialNames.map((one) => [one, '1']))
  return protocol.open(send, credentials)
}

export function attemptOf(operation: Operation, reference: string | null): Attempt {
  const callbackUrl = 'https://gateway.example/callbacks/1'
  const fields = { reference, originalReference: 'original', callbackUrl }
  return newAttempt(services[0] as Service, operation, fields)
}

export const query = (
  name: string,
  operation: Operation,
  reference: string | null,
  answers: Answers,
) => connectorOf(name, answers).query(attemptOf(operation, reference))
export const submit = (
  name: string,
  operation: Operation,
  reference: string | null,
  answers: Answers,
) => connectorOf(name, answers).submit(attemptOf(operation, reference))

export function topUpState(status: string) {
  const delivered = { deliveredAmount: 500, deliveredAmountCurrencyCode: 'XOF' }
  return { transactionId: 12, status, ...delivered }
}

export function meterPayment(status: string, token: unknown = '1234-5678-9012-3456-7890') {
  const billDetails = { pinDetails: { token } }
  return { id: 12, status, amount: 500, amountCurrencyCode: 'XOF', billDetails }
}
