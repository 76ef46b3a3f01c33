import { Title } from '@mantine/core'
import type { ReactNode } from 'react'
import css from './reports.module.css'

/** A titled part of a pane beside the editor. */
export function Part({
  title,
  aside,
  children,
}: {
  title: string
  aside?: ReactNode
  children: ReactNode
}) {
  return (
    <section className={css.part} aria-label={title}>
      <div className={css.partHead}>
        <Title order={2} size="h3">
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </section>
  )
}
