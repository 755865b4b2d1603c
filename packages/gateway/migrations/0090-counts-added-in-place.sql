-- expand: the counts of two histograms are added without a query, so that the planner puts the addition in the place of the call: it is
-- made four times for each sum of usage. All have the 25 buckets of src/money/usage/latency-histogram.ts; others are added as before.
create function trivium_add_any_counts(left_counts bigint[], right_counts bigint[]) returns bigint[] language sql immutable
  return (select array_agg(coalesce(a, 0) + coalesce(b, 0) order by place)
    from unnest(left_counts, right_counts) with ordinality as both_counts (a, b, place));

do $$ begin
  execute format('create or replace function trivium_add_counts(left_counts bigint[], right_counts bigint[]) returns bigint[]
    language sql immutable
    return case when left_counts is null then right_counts when right_counts is null then left_counts
      when cardinality(left_counts) = 25 and cardinality(right_counts) = 25 then array[%s]
      else trivium_add_any_counts(left_counts, right_counts) end',
    (select string_agg(format('left_counts[%1$s] + right_counts[%1$s]', place), ', ' order by place) from generate_series(1, 25) place));
end $$;
