import type { CharacterSet, DeviceProfile } from '#shared/contract/devices.ts'
import { inLanguage } from '../i18n/words.ts'
import { en } from './words.en.ts'
import { es } from './words.es.ts'

export const words = inLanguage(en, es)
export const CHARACTER_SET_NAMES: Readonly<Record<CharacterSet, string>> = words.characterSets
export const PROFILE_NAMES: Readonly<Record<DeviceProfile, string>> = words.profiles
