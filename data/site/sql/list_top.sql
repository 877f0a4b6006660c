-- The first rows of a list, with the places in it; players of equal rating share one.
select *, rank() over (order by rating desc) as place from listed where part = 'all'
order by position limit getvariable('most');
