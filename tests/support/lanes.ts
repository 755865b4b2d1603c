/** The same request on both lanes: once passed verbatim, once rebuilt. */
type LaneName = 'verbatim' | 'translated';

export type LaneRoad = {
  readonly lane: LaneName;
  readonly model: string;
  readonly servedBy: string;
  readonly thinker: string;
  readonly user: Readonly<Record<string, string>>;
};

/** The host of the second lane takes no names on messages, so a name forces the request off the verbatim lane. */
export const LANES: readonly LaneRoad[] = [
  { lane: 'verbatim', model: 'compatible/any', servedBy: 'compatible', thinker: 'compatible/thinker', user: {} },
  {
    lane: 'translated',
    model: 'nameless/any',
    servedBy: 'nameless',
    thinker: 'nameless/thinker',
    user: { name: 'ann' },
  },
];

export const userSays = (road: LaneRoad, content: string): Record<string, unknown> => ({
  role: 'user',
  ...road.user,
  content,
});

/** A body that makes the simulator play a scenario. */
export const asking = (road: LaneRoad, instruction: string, extra: object = {}): Record<string, unknown> => ({
  model: road.model,
  messages: [userSays(road, `Where do three roads meet? @simulate ${instruction}`)],
  ...extra,
});
