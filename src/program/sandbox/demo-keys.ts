// The keys of the demo merchants are public, so they exist in sandboxes only.

export const demoKey = 'sk_sandbox_demo_standard'
export const enterpriseKey = 'sk_sandbox_demo_enterprise'
export const otherMerchantKey = 'sk_sandbox_other_merchant'

/** The secrets of all demo keys. */
export const demoSecrets: string[] = [demoKey, enterpriseKey, otherMerchantKey]

export const demoWebhookSecret = 'whsec_c2FuZGJveC1kZW1vLXNlY3JldC0wMDAx'
