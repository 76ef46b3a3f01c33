const KEPT_AT = 'isthmus-study-preview'

/**
 * Whether lists show more of the current study beside them, as somebody last wanted it on this PC.
 */
export const isPreviewShown = (): boolean => localStorage.getItem(KEPT_AT) !== 'off'

export function showPreview(isShown: boolean): void {
  localStorage.setItem(KEPT_AT, isShown ? 'on' : 'off')
}
