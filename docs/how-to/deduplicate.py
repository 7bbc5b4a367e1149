"""Leave near duplicates out of a data set: MinHash and the share of common five-word sequences, in DuckDB."""

import sys

import duckdb

dataset, output = sys.argv[1:]
articles = f"{dataset}/articles/*/*.parquet"

# Of the same text and of nearly the same one, the earliest record is the original. Sixteen bands of four hashes find
# nine in ten of the pairs of which half is common, and nearly all of which eight tenths are.
duckdb.execute(f"""
    create table texts as
        select warc_record_id as id, row_number() over (order by warc_date, warc_record_id) as place,
            regexp_split_to_array(lower(article_body), '\\W+') as words
        from '{articles}' where article_body is not null
        qualify row_number() over (partition by article_body order by warc_date, warc_record_id) = 1;
    create table shingles as
        select id, place,
            list_distinct([hash(words[i : i + 4]) for i in range(1, greatest(len(words) - 3, 2))]) as found
        from texts;
    create table bands as
        select id, place, found, band,
            hash([list_min([hash(one, 4 * band + row) for one in found]) for row in range(4)]) as key
        from shingles, range(16) as bands(band);
    create table copies as
        select distinct later.id from bands as earlier join bands as later using (band, key)
        where earlier.place < later.place
            and len(list_intersect(earlier.found, later.found)) > .8 * len(list_distinct(earlier.found || later.found));
    copy (
        select * from '{articles}'
        where article_body is null or warc_record_id in (select id from texts where id not in (from copies))
    ) to '{output}' (format parquet);
""")
