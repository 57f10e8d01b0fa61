import type { KeyRight } from '#merchants/clients/key-rights.ts'

/**
 * Which right of its key each endpoint asks for, by the name of its operation; of several, any one.
 * An initialisation is decided by its service. Others with GET need `read`.
 */
export const endpointRights = {
  getBalance: ['balance'],
  initTransaction: ['collect', 'pay'],
  confirmTransaction: ['collect'],
  refundTransaction: ['refund'],
  createLink: ['links'],
  inquireBill: ['read'],
  payBill: ['pay'],
  createSubMerchant: ['collect'],
  updateSubMerchant: ['collect'],
  deactivateSubMerchant: ['collect'],
  // Whoever can make an event can have it sent again.
  replayEvent: ['collect', 'links', 'pay', 'refund'],
} as const satisfies Record<string, readonly KeyRight[]>
