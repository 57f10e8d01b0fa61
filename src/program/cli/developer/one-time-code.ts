import { triesMax } from '#money/transactions/one-time-code.ts'
import { ExitProblem, exitCodes } from '../exit.ts'
import { type Gateway, refusal } from './gateway.ts'
import type { Questions } from './questions.ts'
import type { Screen } from './screen.ts'

// The code that the lab sends to every customer of WALLETD.
export const labCode = '123456'

interface Asked {
  gateway: Gateway
  screen: Screen
  questions: Questions | null
  /** From --otp. */
  code: string | undefined
  payment: { transactionId: string }
  externalId: string
}

/** Sends the customer's one-time code, asking for it while it is wrong and a try is left. */
export async function confirmByCode(asked: Asked): Promise<void> {
  const { gateway, screen, questions, payment } = asked
  for (let tries = 1; ; tries += 1) {
    const given = tries === 1 ? asked.code : undefined
    const otp = given ?? (await codeOf(asked))
    const path = '/api/v1/transaction/confirm/walletd'
    const answer = await gateway.ask('POST', path, { transactionId: payment.transactionId, otp })
    // Whether a code whose answer was lost arrived is seen when the payment is looked up.
    if (answer.kind !== 'answered' || answer.status >= 500)
      return screen.line('The answer to the code was lost.')
    if (answer.status < 300) return screen.line('The code was accepted.')
    const isWrong = answer.body.code === 'OTP_INVALID'
    const canTryAgain = isWrong && questions !== null && tries < triesMax
    if (!canTryAgain) throw refusal(gateway, answer)
    screen.line(`  ${[answer.body.message].flat().join('; ')}`)
  }
}

async function codeOf({ gateway, questions, externalId }: Asked): Promise<string> {
  const isSandbox = gateway.isSandbox
  if (questions !== null) {
    return questions.ask('One-time code of the customer', isSandbox ? labCode : '', codeProblem)
  }
  if (isSandbox) return labCode
  throw new ExitProblem(
    exitCodes.unknown,
    `The customer has got a one-time code: run the same command with --external-id ${externalId} ` +
      '--otp CODE, which cannot pay twice.',
  )
}

function codeProblem(text: string): string | null {
  return /^\d{4,8}$/.test(text) ? null : 'Type the four to eight digits of the code.'
}
