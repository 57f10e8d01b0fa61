import { checkoutSession } from './checkout-session/connector.ts'
import { gsma } from './gsma/connector.ts'
import { otpConfirm } from './otp-confirm/connector.ts'
import type { Protocol } from './protocol.ts'
import { requestToPay } from './request-to-pay/connector.ts'
import { topUp } from './top-up/connector.ts'

/** Every protocol we speak. */
export const protocols: readonly Protocol[] = [
  gsma,
  requestToPay,
  otpConfirm,
  checkoutSession,
  topUp,
]

/** The protocol of a name, or undefined. */
export function protocolNamed(name: string): Protocol | undefined {
  return protocols.find((protocol) => protocol.name === name)
}
