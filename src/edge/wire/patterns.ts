// Patterns of schemas. The error for a field that breaks one describes it: http/violations.ts.

/** A customer's phone number without country code. */
export const phonePattern = '^[0-9]{9}$'

/** A meter, policy or customer number at a biller. */
export const billerAccountPattern = '^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$'

/** A place in the feed of events. */
export const feedCursorPattern = '^([0-9]{1,15}|start)$'

/** A one-time code. */
export const oneTimeCodePattern = '^[0-9]{4,8}$'
