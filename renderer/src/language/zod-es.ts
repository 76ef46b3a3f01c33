import { z } from 'zod'

export const spanish = z.locales.es
