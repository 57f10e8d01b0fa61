export const deliveryStates = ['pending', 'delivered', 'exhausted', 'stopped'] as const
