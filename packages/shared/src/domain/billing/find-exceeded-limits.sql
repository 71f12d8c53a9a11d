/*= judge-submit.sql */
SELECT /*= columns of a limit */,
       e.place
  FROM exceeded e
 ORDER BY e.place, e.number
