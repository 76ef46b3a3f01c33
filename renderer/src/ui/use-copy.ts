import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'

/** How long a button says that it copied. */
const CONFIRMATION_MS = 2000

/** Copies a text, and says for a moment that it is copied. */
export function useCopy(text: string): { readonly isCopied: boolean; readonly copy: () => void } {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), CONFIRMATION_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  return { isCopied, copy: () => void copyText(text).then(setIsCopied) }
}
