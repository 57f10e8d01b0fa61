export const merchantStatuses = ['pending', 'active', 'suspended'] as const
export type MerchantStatus = (typeof merchantStatuses)[number]

export const tiers = ['standard', 'enterprise'] as const
export type Tier = (typeof tiers)[number]
