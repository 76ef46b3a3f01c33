import { locale } from '../i18n/language.ts'

const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })

/** A share from 0 to 1: `42%`, `42 %` in Spanish. */
export const percentText = (share: number): string => percent.format(share)

/** A phase that cannot say how far it is moves, and says nothing. */
export const isCounted = (share: number): boolean => share > 0 && share < 1
