import { Button, Group, Menu, Text } from '@mantine/core'
import { IconChevronDown, IconTemplate } from '@tabler/icons-react'
import type { ReportTemplate } from '#shared/contract/report-templates.ts'
import { t } from '../../i18n/t.ts'
import css from './reports.module.css'

/** Offered at one click; the others are in the menu. */
const MAX_SHOWN_TEMPLATES = 4

/** Templates that fit the study, the best first, while nothing is written. */
export function TemplateSuggestions({
  templates,
  onPick,
}: {
  templates: readonly ReportTemplate[]
  onPick: (template: ReportTemplate) => void
}) {
  if (templates.length === 0) return null
  const more = templates.slice(MAX_SHOWN_TEMPLATES)
  return (
    <section className={css.offers} aria-label={t('ui.reports.templates.title')}>
      <Text fz="sm" c="dimmed">
        <IconTemplate size={15} style={{ verticalAlign: -3 }} aria-hidden />{' '}
        {t('ui.reports.templates.title')}, {t('ui.reports.templates.blank')}
      </Text>
      <Group gap={6}>
        {templates.slice(0, MAX_SHOWN_TEMPLATES).map((template, index) => (
          <Button
            key={template.templateId}
            size="xs"
            variant={index === 0 ? 'filled' : 'default'}
            maw={260}
            onClick={() => onPick(template)}
          >
            {template.name}
          </Button>
        ))}
        {more.length > 0 && (
          <Menu position="bottom-start" withinPortal={false}>
            <Menu.Target>
              <Button size="xs" variant="subtle" rightSection={<IconChevronDown size={14} />}>
                {t('ui.reports.templates.all')}
              </Button>
            </Menu.Target>
            <Menu.Dropdown mah={320} style={{ overflowY: 'auto' }}>
              {more.map((template) => (
                <Menu.Item key={template.templateId} onClick={() => onPick(template)}>
                  {template.name}
                </Menu.Item>
              ))}
            </Menu.Dropdown>
          </Menu>
        )}
      </Group>
    </section>
  )
}
