import { checkoutSession } from './checkout-session/connector.ts'
import type { Protocol } from './contract.ts'
import { gsma } from './gsma/connector.ts'
import { otpConfirm } from './otp-confirm/connector.ts'
import { requestToPay } from './request-to-pay/connector.ts'
import { topUp } from './top-up/connector.ts'

/** Every protocol that has a connector. */
const protocols: readonly Protocol[] = [gsma, requestToPay, otpConfirm, checkoutSession, topUp]

/** The protocol of this name, or undefined. */
export function protocolNamed(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name)
}
