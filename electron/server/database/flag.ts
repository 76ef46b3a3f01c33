/** STRICT tables have no boolean. */
export type Flag = 0 | 1
export const flag = (on: boolean): Flag => (on ? 1 : 0)
