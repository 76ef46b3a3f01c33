import { IconArrowLeft } from '@tabler/icons-react'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'
import css from './back-link.module.css'

const Back = ({ children, ...props }: ComponentProps<'a'>) => (
  <a {...props} className={css.back}>
    <IconArrowLeft size={14} aria-hidden />
    <span>{children}</span>
  </a>
)

/** The link from a screen to the list that it belongs to. */
export const BackLink = createLink(Back)
