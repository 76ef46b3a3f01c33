import { said } from '../language/said.ts'

/** As the gateway names the PC that it runs on; other places are named by people. */
const HERE = 'This PC'

export const isHere = (place: string): boolean => place === HERE

export const placeText = (place: string): string => (isHere(place) ? said(place) : place)
