export const en = {
  title: 'Queries',
  about:
    'Every worklist query of a device, with what became of it. Open one to see why its list was as it was.',
  outcomeLabel: 'Outcome',
  outcomes: {
    all: 'All',
    rows: 'With exams',
    empty: 'Empty',
    failed: 'Failed',
    withheld: 'With withheld exams',
  },
  columns: {
    at: 'Time',
    device: 'Device',
    sentence: 'What happened',
    source: 'Answer, ended with',
    sent: 'Sent',
    filtered: 'Filtered',
    withheld: 'Withheld',
    took: 'Took',
  },
  fromWindow: 'asked from this window',
  again: (times: number) =>
    times === 1
      ? 'asked once more, the same given, at '
      : `asked ${times} times more, the same given, last at `,
  label: 'Worklist queries, newest first',
  newer: (count: number) => (count === 1 ? 'Show 1 newer query' : `Show ${count} newer queries`),
  noneTitle: 'No query yet',
  noneText:
    'When a device asks for its worklist, the query appears here. You can ask as a device yourself under Worklist, Ask as a device.',
  noneFilteredTitle: 'No query fits the filters',
  noneFilteredText: 'Queries are kept for a limited time; older ones are gone.',
  clear: 'Clear filters',
  more: 'Loading older queries…',
  last: 'No older queries are kept.',
  back: 'All queries',
  one: (id: number) => `Query ${id}`,
  askAgain: 'Ask as this device',
  goneTitle: 'This query is not kept any more',
  gone: 'Queries are kept for a limited time (setting inspector.retentionHours).',
} as const

export type English = typeof en
